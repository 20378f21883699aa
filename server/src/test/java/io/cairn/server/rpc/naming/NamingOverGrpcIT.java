package io.cairn.server.rpc.naming;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Gauge;
import io.cairn.server.support.NamingClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Services over gRPC, as far as the recorded flows do not cover them. */
class NamingOverGrpcIT {

    private static final Duration EMPTY_FOR = Duration.ofMillis(300);
    /** The answer to a subscription is repeated half a second later. */
    private static final Duration BEFORE_THE_REPETITION = Duration.ofMillis(400);

    private static final AtomicInteger tests = new AtomicInteger();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("nacos.naming.clean.empty-service.expired-time", Long.toString(EMPTY_FOR.toMillis()))
            .with("logging.level.io.cairn.server.connection", "ERROR"); // otherwise one line per closed connection

    @RegisterExtension
    static final CairnExtension impatient = CairnExtension.temporary()
            .with("cairn.connections.silence", "500ms")
            .with("cairn.connections.detection-timeout", "8s")
            .with("logging.level.io.cairn.server.connection", "ERROR");

    private final String service = "service-" + tests.incrementAndGet();
    private NamingClient one;
    private NamingClient other;
    private NamingClient subscriber;

    @BeforeEach
    void connect() {
        one = NamingClient.connect(cairn);
        other = NamingClient.connect(cairn);
        subscriber = NamingClient.connect(cairn);
    }

    @AfterEach
    void disconnect() {
        one.close();
        other.close();
        subscriber.close();
        new Gauge(cairn, "cairn.connections").awaitValue(0);
        new Gauge(cairn, "cairn.naming.instances").awaitValue(0);
    }

    /** Subscribes, and takes the push that repeats the response. */
    private JsonNode subscribe(String name, String... clusters) {
        JsonNode answer = subscriber.subscribe(name, clusters);
        JsonNode again = subscriber.nextInfo();
        assertThat(again.path("name").asString()).isEqualTo(name);
        assertThat(again.path("hosts")).isEqualTo(answer.path("hosts"));
        return answer;
    }

    @Test
    void aSecondRegistrationReplacesTheFirst() {
        one.register(service, "10.0.0.1:1");
        other.register(service, "10.0.0.2:1");

        one.register(service, "10.0.0.1:2");

        assertThat(subscriber.hosts(service)).containsExactlyInAnyOrder("10.0.0.1:2", "10.0.0.2:1");
    }

    @Test
    void deregistrationWithAnyAddressRemovesTheInstanceOfTheConnection() {
        one.register(service, "10.0.0.1:1");
        other.register(service, "10.0.0.2:1");

        assertThat(one.deregister(service, "10.0.0.2:1").path("success").asBoolean())
                .isTrue();

        assertThat(subscriber.hosts(service)).containsExactly("10.0.0.2:1");
    }

    @Test
    void deregistrationOfAMissingInstanceSucceeds() {
        JsonNode answer = one.deregister(service, "10.0.0.1:1");

        assertThat(answer.path("success").asBoolean()).isTrue();
        assertThat(answer.path("type").asString()).isEqualTo("deregisterInstance");
        assertThat(subscriber.hosts(service)).isEmpty();
    }

    @Test
    void aBatchReplacesAllInstancesOfTheConnection() {
        one.register(service, "10.0.0.1:9");

        one.registerAll(service, "10.0.0.1:1", "10.0.0.1:2");
        assertThat(subscriber.hosts(service)).containsExactly("10.0.0.1:1", "10.0.0.1:2");

        one.registerAll(service, "10.0.0.1:2");
        assertThat(subscriber.hosts(service)).containsExactly("10.0.0.1:2");

        one.registerAll(service);
        assertThat(subscriber.hosts(service)).isEmpty();
    }

    @Test
    void theSameNameInAnotherNamespaceIsAnotherService() {
        one.register(service, "10.0.0.1:1");
        one.wire()
                .request(
                        "InstanceRequest",
                        "{\"namespace\":\"dev\",\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\","
                                + "\"type\":\"registerInstance\",\"instance\":" + NamingClient.json("10.0.0.2:1")
                                + "}");

        assertThat(subscriber.hosts(service)).containsExactly("10.0.0.1:1");
    }

    @Test
    void aSilentConnectionLosesItsInstances() {
        try (NamingClient silent = NamingClient.connect(impatient);
                NamingClient watching = NamingClient.connect(impatient)) {
            silent.register(service, "10.0.0.1:1");
            assertThat(NamingClient.hosts(watching.subscribe(service))).containsExactly("10.0.0.1:1");

            silent.wire().showDetections().acknowledge(push -> false);

            await().until(() -> watching.nextHosts().isEmpty());
            assertThat(silent.wire().streamEnd()).succeedsWithin(PATIENCE);
        }
    }

    @Test
    void theLaterOfTwoRegistrationsCountsAndTheFormerReturnsWhenItEnds() {
        one.register(service, "10.0.0.1:1", "\"metadata\":{\"from\":\"one\"}");
        subscribe(service);
        other.register(service, "10.0.0.1:1", "\"metadata\":{\"from\":\"other\"}");

        assertThat(metadata(subscriber.nextInfo())).containsExactly("other");
        assertThat(metadata(one.query(service, "", false))).containsExactly("other");

        other.close();

        assertThat(metadata(subscriber.nextInfo())).containsExactly("one");
        assertThat(metadata(one.query(service, "", false))).containsExactly("one");
    }

    private static List<String> metadata(JsonNode info) {
        return info.path("hosts")
                .valueStream()
                .map(host -> host.path("metadata").path("from").asString())
                .toList();
    }

    @Test
    void instancesOfClientThatReconnectsEarlyAreNeverMissing() {
        one.register(service, "10.0.0.1:1", "\"metadata\":{\"v\":\"1\"}");
        subscribe(service);

        other.register(service, "10.0.0.1:1", "\"metadata\":{\"v\":\"1\"}");
        one.close();
        new Gauge(cairn, "cairn.connections").awaitValue(2);

        assertNothingIsPushed();
        assertThat(subscriber.hosts(service)).containsExactly("10.0.0.1:1");
    }

    @Test
    void doesNotPushAnUnchangedRegistration() {
        one.register(service, "10.0.0.1:1", "\"metadata\":{\"v\":\"1\"}");
        subscribe(service);

        one.register(service, "10.0.0.1:1", "\"metadata\":{\"v\":\"1\"}");

        // The batch has no metadata: two changes, back and forth, each pushed before the next one.
        one.registerAll(service, "10.0.0.1:1");
        assertThat(subscriber.nextInfo().path("hosts").path(0).path("metadata").size())
                .isZero();
        one.register(service, "10.0.0.1:1", "\"metadata\":{\"v\":\"1\"}");
        assertThat(subscriber.nextInfo().path("hosts").path(0).path("metadata").size())
                .isOne();
        assertNothingIsPushed();
    }

    /**
     * Pushes for changes of one connection arrive in order: when that of a later change is next, no other was pushed
     * before.
     */
    private void assertNothingIsPushed() {
        String marker = service + "-marker";
        subscriber.subscribe(marker);
        other.register(marker, "10.0.0.9:9");
        JsonNode next = subscriber.nextInfo();
        assertThat(next.path("name").asString()).as("pushed: " + next).isEqualTo(marker);
    }

    @Test
    void aSubscriberOfClustersGetsOnlyTheirInstances() {
        one.register(service, "10.0.0.1:1", "\"clusterName\":\"A\"");
        JsonNode answer = subscribe(service, "A", "B");
        assertThat(NamingClient.hosts(answer)).containsExactly("10.0.0.1:1");
        assertThat(answer.path("clusters").asString()).isEqualTo("A,B");

        other.register(service, "10.0.0.2:1", "\"clusterName\":\"C\"");
        assertNothingIsPushed();
        other.register(service, "10.0.0.2:1", "\"clusterName\":\"B\"");

        JsonNode info = nextInfoOf(service);
        assertThat(NamingClient.hosts(info)).containsExactlyInAnyOrder("10.0.0.1:1", "10.0.0.2:1");
        assertThat(info.path("clusters").asString()).isEqualTo("A,B");
    }

    private JsonNode nextInfoOf(String name) {
        JsonNode info = subscriber.nextInfo();
        while (!info.path("name").asString().equals(name)) {
            info = subscriber.nextInfo();
        }
        return info;
    }

    @Test
    void doesNotPushAfterAnUnsubscribe() {
        subscribe(service);
        subscribe(service, "A");
        JsonNode answer = subscriber.unsubscribe(service);
        assertThat(NamingClient.hosts(answer)).isEmpty();

        one.register(service, "10.0.0.1:1", "\"clusterName\":\"A\"");

        assertThat(subscriber.nextInfo().path("clusters").asString())
                .as("the other subscription continues")
                .isEqualTo("A");
        subscriber.unsubscribe(service, "A");
        subscriber.unsubscribe(service, "A");
        one.deregister(service, "10.0.0.1:1");
        assertNothingIsPushed();
    }

    @Test
    void aSecondSubscriptionChangesNothing() {
        subscribe(service);
        subscribe(service);

        subscriber.unsubscribe(service);
        one.register(service, "10.0.0.1:1");

        assertNothingIsPushed();
    }

    @Test
    void aServiceMayBeSubscribedToBeforeItExists() {
        assertThat(NamingClient.hosts(subscriber.subscribe(service))).isEmpty();

        one.register(service, "10.0.0.1:1");

        awaitHosts(subscriber, "10.0.0.1:1");
    }

    @Test
    void returnsUnhealthyButNoDisabledInstances() {
        one.registerAll(service, "10.0.0.1:1");
        other.register(service, "10.0.0.2:1", "\"enabled\":false");
        NamingClient third = NamingClient.connect(cairn);
        third.register(service, "10.0.0.3:1", "\"healthy\":false");

        assertThat(NamingClient.hosts(subscriber.subscribe(service)))
                .containsExactlyInAnyOrder("10.0.0.1:1", "10.0.0.3:1");
        assertThat(NamingClient.hosts(one.query(service, "", true))).containsExactly("10.0.0.1:1");
        third.close();
    }

    @Test
    void aReconnectedSubscriberGetsThePresentState() {
        subscriber.subscribe(service);
        subscriber.close();

        one.register(service, "10.0.0.1:1");
        try (NamingClient again = NamingClient.connect(cairn)) {
            assertThat(NamingClient.hosts(again.subscribe(service))).containsExactly("10.0.0.1:1");
            one.register(service, "10.0.0.1:2");
            awaitHosts(again, "10.0.0.1:2");
        }
    }

    /** On a busy machine the answer to the subscription is repeated before. */
    private static void awaitHosts(NamingClient subscriber, String expected) {
        await().until(subscriber::nextHosts, List.of(expected)::equals);
    }

    @Test
    void repeatsAChangeRightAfterASubscriptionOnceTheResponseMustHaveArrived() {
        JsonNode atOnce;
        long before;
        int tries = 0;
        do { // repeat until the change follows at once: a busy machine may delay it
            String name = service + "-" + tries;
            subscriber.subscribe(name);
            before = System.nanoTime();
            one.register(name, "10.0.0.1:1");
            atOnce = subscriber.nextInfo();
            if (NamingClient.hosts(atOnce).isEmpty()) {
                assertThat(subscriber.nextHosts()).containsExactly("10.0.0.1:1");
            }
        } while (NamingClient.hosts(atOnce).isEmpty() && ++tries < 20);
        JsonNode again = subscriber.nextInfo();

        assertThat(NamingClient.hosts(atOnce)).containsExactly("10.0.0.1:1");
        assertThat(again).isEqualTo(atOnce);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(200));
        assertNothingIsPushed();
    }

    @Test
    void repeatsTheResponseAlsoWithoutAChange() {
        one.register(service, "10.0.0.1:1");

        long asked = System.nanoTime();
        JsonNode answer = subscriber.subscribe(service);

        assertThat(subscriber.nextInfo()).isEqualTo(answer);
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Duration.ofMillis(200));
        assertNothingIsPushed();
    }

    @Test
    void doesNotRepeatForAClientThatHasUnsubscribed() {
        int tries = 0;
        long took;
        do { // repeat until it has unsubscribed in time: a busy machine may delay it
            String name = service + "-" + tries;
            long before = System.nanoTime();
            subscriber.subscribe(name);
            subscriber.unsubscribe(name);
            took = System.nanoTime() - before;
            subscriber.subscribe(name + "-later");
            JsonNode next = subscriber.nextInfo();
            if (took < BEFORE_THE_REPETITION.toNanos()) {
                assertThat(next.path("name").asString()).isEqualTo(name + "-later");
            } else if (next.path("name").asString().equals(name)) {
                assertThat(subscriber.nextInfo().path("name").asString()).isEqualTo(name + "-later");
            }
        } while (took >= BEFORE_THE_REPETITION.toNanos() && ++tries < 20);

        assertThat(tries).as("attempts on a busy machine").isLessThan(20);
        assertNothingIsPushed();
    }

    @Test
    void theTimestampOfAListNeverDecreases() {
        long last = 0;
        subscriber.subscribe(service);
        for (int i = 1; i <= 50; i++) {
            one.register(service, "10.0.0.1:" + i);
            long refTime = other.query(service, "", false).path("lastRefTime").asLong();
            assertThat(refTime).isGreaterThan(last);
            last = refTime;
        }
        JsonNode newest = subscriber.nextInfo();
        long shown = 0;
        while (!NamingClient.hosts(newest).equals(List.of("10.0.0.1:50"))) {
            assertThat(newest.path("lastRefTime").asLong()).isGreaterThanOrEqualTo(shown);
            shown = newest.path("lastRefTime").asLong();
            newest = subscriber.nextInfo();
        }
        assertThat(newest.path("lastRefTime").asLong()).isEqualTo(last);
    }

    @Test
    void protectionReturnsAllInstancesAsHealthyWhenTooFewAre() {
        one.register(service, "10.0.0.1:1");
        other.register(service, "10.0.0.2:1", "\"healthy\":false");
        assertThat(cairn.post("/v1/ns/service", Map.of("serviceName", service, "protectThreshold", "0.6"))
                        .statusCode())
                .as("it exists")
                .isNotEqualTo(200);
        JsonNode answer = subscribe(service);
        assertThat(answer.path("reachProtectionThreshold").asBoolean()).isFalse();

        update(0.6);

        JsonNode info = subscriber.nextInfo();
        assertThat(info.path("reachProtectionThreshold").asBoolean()).isTrue();
        assertThat(info.path("hosts").valueStream().allMatch(host -> host.path("healthy")
                        .asBoolean()))
                .isTrue();
        assertThat(NamingClient.hosts(one.query(service, "", false)))
                .containsExactlyInAnyOrder("10.0.0.1:1", "10.0.0.2:1");
        assertThat(NamingClient.hosts(one.query(service, "", true)))
                .as("a query for healthy instances returns no others")
                .containsExactly("10.0.0.1:1");

        update(0.3);
        assertThat(NamingClient.hosts(one.query(service, "", true))).containsExactly("10.0.0.1:1");
    }

    private void update(double protectThreshold) {
        String form = CairnExtension.encode(
                Map.of("serviceName", service, "protectThreshold", Double.toString(protectThreshold)));
        assertThat(cairn.send(HttpRequest.newBuilder(cairn.uri("/v1/ns/service?" + form))
                                .PUT(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void numberedInstanceIdsStayTheSame() {
        String numbered = "\"metadata\":{\"preserved.instance.id.generator\":\"snowflake\"}";
        one.register(service, "10.0.0.1:1", numbered);
        String id = id();
        assertThat(id).matches("\\d+#DEFAULT#DEFAULT_GROUP@@" + service);

        one.deregister(service, "10.0.0.1:1");
        other.register(service, "10.0.0.1:1", numbered);
        assertThat(id()).isEqualTo(id);

        other.register(service, "10.0.0.1:2", numbered);
        assertThat(id()).isNotEqualTo(id);
    }

    private String id() {
        return subscriber
                .query(service, "", false)
                .path("hosts")
                .path(0)
                .path("instanceId")
                .asString();
    }

    @Test
    void removesAnEmptyServiceAfterTheDelay() {
        boolean isThere;
        int tries = 0;
        do { // repeat until the list is read in time: a busy machine may delay it
            one.register(service, "10.0.0.1:1");
            assertThat(services()).contains(service);
            long before = System.nanoTime();
            one.deregister(service, "10.0.0.1:1");
            isThere = services().contains(service);
            if (!isThere) {
                assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(EMPTY_FOR);
            }
        } while (!isThere && ++tries < 20);
        assertThat(isThere).as("it has just become empty").isTrue();

        await().until(() -> !services().contains(service));
        one.register(service, "10.0.0.1:1");
        assertThat(services()).contains(service);
    }

    private List<String> services() {
        return subscriber
                .wire()
                .request("ServiceListRequest", "{\"groupName\":\"DEFAULT_GROUP\",\"pageNo\":1,\"pageSize\":1000}")
                .path("serviceNames")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    @Test
    void aServiceIsEphemeralOrPersistent() {
        one.register(service, "10.0.0.1:1");
        JsonNode refused = persistent("registerInstance", service);
        assertThat(refused.path("errorCode").asInt()).isEqualTo(400);
        assertThat(refused.path("resultCode").asInt()).isEqualTo(400);
        assertThat(refused.path("message").asString())
                .isEqualTo("errCode: 400, errMsg: Current service DEFAULT_GROUP@@" + service
                        + " is ephemeral service, can't register persistent instance. ");

        String lasting = service + "-lasting";
        assertThat(persistent("registerInstance", lasting).path("success").asBoolean())
                .isTrue();
        assertThat(one.register(lasting, "10.0.0.1:1").path("message").asString())
                .isEqualTo("errCode: 400, errMsg: Current service DEFAULT_GROUP@@" + lasting
                        + " is persistent service, can't register ephemeral instance. ");
        assertThat(one.registerAll(lasting, "10.0.0.1:1").path("errorCode").asInt())
                .isEqualTo(400);
        assertThat(persistent("deregisterInstance", lasting).path("success").asBoolean())
                .isTrue();
        assertThat(one.register(lasting, "10.0.0.1:1").path("success").asBoolean())
                .as("no client holds it any more")
                .isTrue();
    }

    private JsonNode persistent(String type, String name) {
        return other.wire()
                .request(
                        "PersistentInstanceRequest",
                        "{\"serviceName\":\"" + name + "\",\"groupName\":\"DEFAULT_GROUP\",\"type\":\"" + type
                                + "\",\"instance\":" + NamingClient.json("10.0.0.2:1", "\"ephemeral\":false") + "}");
    }

    @Test
    void aPersistentInstanceSurvivesTheConnectionThatRegisteredIt() {
        persistent("registerInstance", service);
        other.close();
        new Gauge(cairn, "cairn.connections").awaitValue(2);

        assertThat(subscriber.hosts(service)).containsExactly("10.0.0.2:1");
        other = NamingClient.connect(cairn);
        persistent("deregisterInstance", service);
        assertThat(subscriber.hosts(service)).isEmpty();
    }
}

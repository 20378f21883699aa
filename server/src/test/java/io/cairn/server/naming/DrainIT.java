package io.cairn.server.naming;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.NamingClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A drain takes an instance out of the lists, and is answered when the subscribers have acknowledged that. */
class DrainIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String PATH = "/v3/admin/ns/instance/drain";
    private static final String ONE = "10.1.0.1:8080";
    private static final String TWO = "10.1.0.2:8080";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private static HttpRequest.Builder request(String method, String service, String address, String more) {
        String[] parts = address.split(":");
        return HttpRequest.newBuilder(
                        cairn.uri(PATH + "?serviceName=" + service + "&ip=" + parts[0] + "&port=" + parts[1] + more))
                .method(method, BodyPublishers.noBody());
    }

    private static HttpResponse<String> call(String method, String service, String address, String more) {
        return cairn.send(request(method, service, address, more));
    }

    /** The data of a successful drain. */
    private static JsonNode drain(String service, String address, String more) {
        return data(call("PUT", service, address, more));
    }

    private static JsonNode data(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("data");
    }

    /** A new subscriber may be sent a list twice. */
    private static void awaitHosts(NamingClient subscriber, List<String> expected) {
        List<String> pushed = subscriber.nextHosts();
        while (!Set.copyOf(pushed).equals(Set.copyOf(expected))) {
            pushed = subscriber.nextHosts();
        }
    }

    private static void endDrain(String service, String address) {
        assertThat(call("DELETE", service, address, "").statusCode()).isEqualTo(200);
    }

    private static void assertRefused(HttpResponse<String> answer, int status, String text) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains(text);
    }

    @Test
    void answersWhenTheLastSubscriberHasAcknowledged() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient first = NamingClient.connect(cairn);
                NamingClient last = NamingClient.connect(cairn)) {
            provider.registerAll("acknowledged", ONE, TWO);
            first.subscribe("acknowledged");
            last.subscribe("acknowledged");
            last.wire().acknowledge(push -> false);

            CompletableFuture<JsonNode> drained =
                    CompletableFuture.supplyAsync(() -> drain("acknowledged", ONE, "&wait=60s"));
            awaitHosts(first, List.of(TWO));
            Payload unacknowledged = last.wire().nextPush("NotifySubscriberRequest");
            while (unacknowledged.bodyText().contains(ONE.substring(0, ONE.indexOf(':')) + '"')) {
                unacknowledged = last.wire().nextPush("NotifySubscriberRequest");
            }
            assertThat(drained).as("one subscriber is missing").isNotDone();
            // A subscription counts a moment after its answer.
            await().until(() -> progress("acknowledged").path("subscribers").asInt() == 1);
            assertThat(progress("acknowledged").path("waiting")).hasSize(1);
            assertThat(progress("acknowledged").path("acknowledged").asBoolean(true))
                    .isFalse();
            // The push after the answer to the subscription may come later.
            last.wire().acknowledge(push -> true);
            last.wire().acknowledge(unacknowledged);

            JsonNode answer = drained.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(answer.path("acknowledged").asBoolean()).isTrue();
            assertThat(answer.path("subscribers").asInt()).isEqualTo(2);
            assertThat(answer.path("waiting")).isEmpty();
            assertThat(answer.path("until").asLong()).isGreaterThan(System.currentTimeMillis());
            assertThat(first.hosts("acknowledged")).containsExactly(TWO);
            // This question has no time to wait for the event loops of busy subscribers.
            await().until(() -> progress("acknowledged").path("subscribers").asInt() == 2);
            endDrain("acknowledged", ONE);
            awaitHosts(first, List.of(ONE, TWO));
            assertRefused(call("GET", "acknowledged", ONE, ""), 404, "is not drained");
            assertThat(timeline("acknowledged"))
                    .containsExactly(
                            "ENDED 10.1.0.1:8080 0/0", "ACKNOWLEDGED 10.1.0.1:8080 2/2", "BEGUN 10.1.0.1:8080 0/0");
        }
    }

    private static JsonNode progress(String service) {
        return data(call("GET", service, ONE, ""));
    }

    /** The drains of the service, newest first, as event, instance and the consumers that have the drain. */
    private static List<String> timeline(String service) {
        List<String> drains = new ArrayList<>();
        for (JsonNode entry : data(cairn.send(
                HttpRequest.newBuilder(cairn.uri("/v3/admin/ns/service/timeline?serviceName=" + service))))) {
            if (entry.path("kind").asString().equals("DRAIN")) {
                int acknowledged = entry.path("count").asInt();
                drains.add(entry.path("event").asString() + " "
                        + entry.path("instance").asString() + " " + acknowledged + "/"
                        + (acknowledged + entry.path("waiting").asInt()));
            }
        }
        return drains;
    }

    @Test
    void namesTheSubscribersWithoutAnAcknowledgementAtTheTimeLimit() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient prompt = NamingClient.connect(cairn);
                NamingClient stopped =
                        new NamingClient(cairn.newTransport("Nacos-Test:v1").setUp("10.9.9.9"))) {
            provider.registerAll("late", ONE, TWO);
            prompt.subscribe("late");
            stopped.subscribe("late");
            stopped.wire().acknowledge(push -> false);

            JsonNode answer = drain("late", ONE, "&wait=1s");

            assertThat(answer.path("acknowledged").asBoolean(true)).isFalse();
            assertThat(answer.path("subscribers").asInt()).isOne();
            assertThat(answer.path("waiting")).hasSize(1);
            assertThat(answer.path("waiting").path(0).path("ip").asString()).isEqualTo("10.9.9.9");
            assertThat(prompt.hosts("late")).as("the drain goes on").containsExactly(TWO);
            assertThat(timeline("late")).containsExactly("UNACKNOWLEDGED 10.1.0.1:8080 1/2", "BEGUN 10.1.0.1:8080 0/0");
        }
    }

    @Test
    void subscriberThatLeavesIsNotAwaited() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient leaving = NamingClient.connect(cairn)) {
            provider.registerAll("leaving", ONE, TWO);
            leaving.subscribe("leaving");
            leaving.wire().acknowledge(push -> false);
            CompletableFuture<JsonNode> drained =
                    CompletableFuture.supplyAsync(() -> drain("leaving", ONE, "&wait=60s"));
            leaving.wire().nextPush("NotifySubscriberRequest");

            leaving.close();

            assertThat(drained.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .path("acknowledged")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void survivesANewRegistrationAndTheEndOfTheConnection() {
        try (NamingClient consumer = NamingClient.connect(cairn)) {
            try (NamingClient provider = NamingClient.connect(cairn);
                    NamingClient other = NamingClient.connect(cairn)) {
                provider.register("redone", ONE);
                other.register("redone", TWO);
                drain("redone", ONE, "");
                provider.register("redone", ONE, "\"weight\":3.0");
                assertThat(consumer.hosts("redone")).containsExactly(TWO);
            }
            await().until(() -> consumer.hosts("redone").isEmpty());
            try (NamingClient again = NamingClient.connect(cairn)) {
                again.registerAll("redone", ONE, TWO);
                assertThat(consumer.hosts("redone")).containsExactly(TWO);
            }
        }
    }

    @Test
    void endsWithTheDeregistrationOfTheInstance() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.register("deregistered", ONE);
            drain("deregistered", ONE, "&force=true");
            assertThat(consumer.hosts("deregistered")).isEmpty();

            provider.deregister("deregistered", ONE);

            await().until(() -> {
                provider.register("deregistered", ONE);
                return consumer.hosts("deregistered").equals(List.of(ONE));
            });
            assertThat(timeline("deregistered").get(0)).startsWith("DEREGISTERED ");
        }
    }

    @Test
    void goesOnWhileAnotherPublisherNamesTheAddress() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient second = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.register("shared", ONE);
            second.register("shared", ONE);
            drain("shared", ONE, "&force=true");

            provider.deregister("shared", ONE);

            assertThat(consumer.hosts("shared")).isEmpty();
            endDrain("shared", ONE);
            assertThat(consumer.hosts("shared")).containsExactly(ONE);
        }
    }

    @Test
    void endsOfABatchThatNoLongerNamesTheInstance() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.registerAll("batch", ONE, TWO);
            drain("batch", ONE, "");
            provider.registerAll("batch", TWO);

            await().until(() -> {
                provider.registerAll("batch", ONE, TWO);
                return consumer.hosts("batch").size() == 2;
            });
        }
    }

    @Test
    void endsByItselfAfterItsTime() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.registerAll("timed", ONE, TWO);
            consumer.subscribe("timed");

            drain("timed", ONE, "&for=1s");

            awaitHosts(consumer, List.of(TWO));
            awaitHosts(consumer, List.of(ONE, TWO));
            await().until(() -> timeline("timed").get(0).startsWith("EXPIRED "));
        }
    }

    @Test
    void operatorThatEnablesTheInstanceEndsTheDrain() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.registerAll("enabled", ONE, TWO);
            drain("enabled", ONE, "");
            patch("enabled", "&weight=2");
            assertThat(consumer.hosts("enabled")).containsExactly(TWO);

            patch("enabled", "&enabled=true");

            assertThat(consumer.hosts("enabled")).containsExactlyInAnyOrder(ONE, TWO);
            assertThat(timeline("enabled").get(0)).startsWith("ENDED ");
        }
    }

    private static void patch(String service, String more) {
        HttpResponse<String> answer = cairn.send(HttpRequest.newBuilder(
                        cairn.uri("/v3/admin/ns/instance/partial?ip=10.1.0.1&port=8080&serviceName=" + service + more))
                .PUT(BodyPublishers.noBody()));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void laterDrainReplacesTheEndOfTheFormer() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.registerAll("extended", ONE, TWO);
            drain("extended", ONE, "&for=1s");
            long until = drain("extended", ONE, "&for=1h").path("until").asLong();
            assertThat(until).isGreaterThan(System.currentTimeMillis() + TimeUnit.MINUTES.toMillis(50));
            consumer.subscribe("extended");
            provider.register("extended-control", ONE);
            drain("extended-control", ONE, "&for=1s&force=true");
            // Ends after the first drain would have.
            await().until(() -> consumer.hosts("extended-control").size() == 1);

            assertThat(consumer.hosts("extended")).containsExactly(TWO);
        }
    }

    @Test
    void lastInstanceInServiceIsRefusedWithoutForce() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.registerAll("last", ONE, TWO);
            drain("last", ONE, "");

            assertRefused(
                    call("PUT", "last", TWO, ""),
                    409,
                    "instance 10.1.0.2:8080 is the last one in service of DEFAULT_GROUP@@last, so it is not drained;"
                            + " force=true drains it");
            assertThat(consumer.hosts("last")).containsExactly(TWO);
            assertThat(drain("last", TWO, "&force=true").path("acknowledged").asBoolean())
                    .isTrue();
            assertThat(consumer.hosts("last")).isEmpty();
        }
    }

    @Test
    void persistentHeartbeatAndDisabledInstancesAreDrained() {
        try (NamingClient consumer = NamingClient.connect(cairn)) {
            for (Map<String, String> kind :
                    List.of(Map.of("ephemeral", "true"), Map.of("ephemeral", "false"), Map.of("enabled", "false"))) {
                String service = "kind-" + kind.toString().replaceAll("[^a-z]", "");
                for (String port : List.of("1", "2")) {
                    Map<String, String> form = new HashMap<>(kind);
                    form.putAll(Map.of("serviceName", service, "ip", "10.1.0.1", "port", port));
                    assertThat(cairn.post("/v3/admin/ns/instance", form).statusCode())
                            .isEqualTo(200);
                }
                drain(service, "10.1.0.1:1", "");
                assertThat(consumer.hosts(service)).as(service).doesNotContain("10.1.0.1:1");
                endDrain(service, "10.1.0.1:1");
                assertThat(consumer.hosts(service)).as(service).hasSize("false".equals(kind.get("enabled")) ? 0 : 2);
            }
        }
    }

    @Test
    void clientThatListsOverHttpIsAwaitedUntilItListsAgain() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn)) {
            provider.registerAll("listed", ONE, TWO);
            String list = "/v1/ns/instance/list?serviceName=listed";
            assertThat(cairn.get(list).body()).contains("10.1.0.1", "10.1.0.2");
            JsonNode late = drain("listed", ONE, "&wait=0s").path("waiting").path(0);
            assertThat(late.path("kind").asString()).isEqualTo("http");
            assertThat(late.path("ip").asString()).isEqualTo("127.0.0.1");

            CompletableFuture<JsonNode> answer = CompletableFuture.supplyAsync(() -> drain("listed", ONE, "&wait=60s"));
            JsonNode drained = await().until(
                            () -> {
                                assertThat(cairn.get(list).body()).doesNotContain("10.1.0.1");
                                return answer.getNow(JSON.createObjectNode());
                            },
                            data -> data.has("acknowledged"));
            assertThat(drained.path("acknowledged").asBoolean()).isTrue();
            assertThat(drained.path("subscribers").asInt()).isEqualTo(1);
        }
    }

    @Test
    void clientDrainsItsInstanceOverItsConnection() {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.registerAll("own", ONE, TWO);
            consumer.subscribe("own");
            CompletableFuture<JsonNode> answer = CompletableFuture.supplyAsync(() -> provider.wire()
                    .request(
                            "InstanceDrainRequest",
                            "{\"serviceName\":\"own\",\"groupName\":\"DEFAULT_GROUP\","
                                    + "\"instance\":" + NamingClient.json(ONE) + ",\"waitMillis\":60000,"
                                    + "\"forMillis\":60000}"));
            awaitHosts(consumer, List.of(TWO));

            JsonNode drained = answer.join();

            assertThat(drained.path("success").asBoolean())
                    .as(drained.toString())
                    .isTrue();
            assertThat(drained.path("acknowledged").asBoolean()).isTrue();
            assertThat(consumer.hosts("own")).containsExactly(TWO);
            JsonNode refused = provider.wire()
                    .request(
                            "InstanceDrainRequest",
                            "{\"serviceName\":\"own\",\"groupName\":\"DEFAULT_GROUP\","
                                    + "\"instance\":" + NamingClient.json(TWO) + ",\"waitMillis\":61000,"
                                    + "\"forMillis\":60000}");
            assertThat(refused.path("message").asString()).contains("waitMillis: 61000 (expected: 0-60000)");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            &wait=10 | 400 | wait: '10' (expected: a time such as 500ms, 10s, 5m or 1h, from 0s to 60s)
            &wait=61s | 400 | wait: '61s' (expected: a time such as 500ms, 10s, 5m or 1h, from 0s to 60s)
            &for=0s | 400 | for: '0s' (expected: a time such as 500ms, 10s, 5m or 1h, from 1s to 86400s)
            &for=25h | 400 | for: '25h' (expected: a time such as 500ms, 10s, 5m or 1h, from 1s to 86400s)
            &clusterName=other | 404 | instance 10.1.0.1:8080 of cluster other is not registered in service DEFAULT_GROUP@@refused
            """)
    void refusesWhatItCannotDo(String more, int status, String text) {
        try (NamingClient provider = NamingClient.connect(cairn);
                NamingClient consumer = NamingClient.connect(cairn)) {
            provider.registerAll("refused", ONE, TWO);

            assertRefused(call("PUT", "refused", ONE, more), status, text);

            assertThat(consumer.hosts("refused")).hasSize(2);
        }
    }
}

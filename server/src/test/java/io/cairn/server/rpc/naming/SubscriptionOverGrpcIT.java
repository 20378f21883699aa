package io.cairn.server.rpc.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SubscriptionOverGrpcIT {

    /** The list is pushed half a second after the answer. */
    private static final Duration BEFORE_THE_PUSH = Duration.ofMillis(400);

    @RegisterExtension
    static final CairnExtension cairn =
            // No client is asked whether it is there, so a list that follows a closed connection follows at once.
            CairnExtension.temporary().with("cairn.connections.silence", "1h");

    /** Official Java clients subscribe anew after a reconnect, and do not look at the answer. */
    @Test
    void pushesTheListAfterASubscriptionWithoutAChange() {
        try (WireClient provider = cairn.newClient();
                WireClient consumer = cairn.newClient()) {
            register(provider, "brought", 8081);
            assertThat(ports(subscribe(consumer, "brought", true).path("serviceInfo")))
                    .isEqualTo("8081");

            Payload push = consumer.nextPush();

            assertThat(push.type()).isEqualTo("NotifySubscriberRequest");
            assertThat(ports(WireClient.tree(push).path("serviceInfo"))).isEqualTo("8081");
        }
    }

    @Test
    void doesNotPushTheListAfterAnUnsubscribe() {
        try (WireClient consumer = cairn.newClient()) {
            int tries = 0;
            while (!seesThatOnlyTheKeptOneIsPushed(consumer, "left-" + tries, "kept-" + tries)) {
                assertThat(++tries).as("attempts on a busy machine").isLessThan(20);
            }
        }
    }

    /** False where this machine was so busy that the list was pushed before the client had unsubscribed. */
    private static boolean seesThatOnlyTheKeptOneIsPushed(WireClient consumer, String left, String kept) {
        long before = System.nanoTime();
        subscribe(consumer, left, true);
        subscribe(consumer, left, false);
        boolean inTime = System.nanoTime() - before < BEFORE_THE_PUSH.toNanos();
        subscribe(consumer, kept, true);
        String pushed = pushedService(consumer);
        if (!inTime && pushed.equals(left)) {
            pushed = pushedService(consumer);
        }
        assertThat(pushed).isEqualTo(kept);
        return inTime;
    }

    private static String pushedService(WireClient consumer) {
        return WireClient.tree(consumer.nextPush())
                .path("serviceInfo")
                .path("name")
                .asString();
    }

    /** The SDK for Go names its application in this header, and not in the labels of its connection. */
    @Test
    void aSubscriberIsListedWithTheApplicationThatItsRequestNames() {
        try (WireClient named = cairn.newClient();
                WireClient nameless = cairn.newClient()) {
            subscribe(named, "listed", Map.of("app", "shop"));
            subscribe(nameless, "listed", Map.of("app", ""));

            JsonNode subscribers = JsonMapper.builder()
                    .build()
                    .readTree(cairn.get("/v1/ns/service/subscribers?serviceName=listed")
                            .body())
                    .path("subscribers");

            assertThat(subscribers.findValuesAsString("app")).containsExactlyInAnyOrder("shop", "unknown");
        }
    }

    @Test
    void aClosedConnectionRemovesItsInstancesAndNotifiesSubscribersAtOnce() {
        try (NamingClient closing = NamingClient.connect(cairn);
                NamingClient staying = NamingClient.connect(cairn);
                NamingClient subscriber = NamingClient.connect(cairn)) {
            closing.register("shared", "10.0.0.1:1");
            staying.register("shared", "10.0.0.2:1");
            closing.registerAll("alone", "10.0.0.1:2", "10.0.0.1:3");
            for (String service : List.of("shared", "alone")) {
                subscriber.subscribe(service);
                assertThat(subscriber.nextHosts()).hasSize(2);
            }

            closing.close();

            Map<String, List<String>> told = new HashMap<>();
            for (int i = 0; i < 2; i++) {
                JsonNode info = subscriber.nextInfo();
                told.put(info.path("name").asString(), NamingClient.hosts(info));
            }
            assertThat(told).isEqualTo(Map.of("shared", List.of("10.0.0.2:1"), "alone", List.of()));
        }
    }

    private static void register(WireClient client, String service, int port) {
        JsonNode answer = client.request(
                "InstanceRequest",
                service(service) + ",\"type\":\"registerInstance\",\"instance\":{\"ip\":\"127.0.0.1\",\"port\":" + port
                        + "}}");
        assertThat(answer.path("success").asBoolean()).isTrue();
    }

    private static void subscribe(WireClient client, String service, Map<String, String> headers) {
        client.request("SubscribeServiceRequest", service(service) + ",\"subscribe\":true,\"clusters\":\"\"}", headers);
    }

    private static JsonNode subscribe(WireClient client, String service, boolean subscribe) {
        return client.request(
                "SubscribeServiceRequest", service(service) + ",\"subscribe\":" + subscribe + ",\"clusters\":\"\"}");
    }

    /** The beginning of a request about a service. */
    private static String service(String name) {
        return "{\"namespace\":\"public\",\"groupName\":\"DEFAULT_GROUP\",\"serviceName\":\"" + name + '"';
    }

    private static String ports(JsonNode serviceInfo) {
        return String.join(",", serviceInfo.path("hosts").findValuesAsString("port"));
    }
}

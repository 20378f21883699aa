package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.NamingClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A drain counts the subscribers of all nodes. */
@Tag("full")
@Tag("mysql")
class ClusterDrainIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String PATH = "/nacos/v3/admin/ns/instance/drain";

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfServers cluster;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(ClusterDrainIT.class);
        cluster = ClusterOfServers.start(2, schema, folder);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        schema.close();
    }

    private static HttpResponse<String> call(String method, int node, String service, String ip, String more) {
        return cluster.call(method, node, PATH + "?serviceName=" + service + "&ip=" + ip + "&port=80" + more);
    }

    private static JsonNode drain(int node, String service, String ip, String more) {
        HttpResponse<String> answer = call("PUT", node, service, ip, more);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("data");
    }

    private static void provide(NamingClient provider, String service) {
        provider.registerAll(service, "10.2.0.1:80", "10.2.0.2:80");
        for (int node = 0; node < 2; node++) {
            int asked = node;
            // The list for operators: a client that lists is awaited by a drain.
            await().until(() -> cluster.call("GET", asked, "/nacos/v3/admin/ns/instance/list?serviceName=" + service)
                    .body()
                    .contains("10.2.0.2"));
        }
    }

    @Test
    void subscribersOfTheOtherNodeCount() throws Exception {
        try (NamingClient provider = cluster.naming(0);
                NamingClient here = cluster.naming(0);
                NamingClient there = cluster.naming(1)) {
            provide(provider, "counted");
            here.subscribe("counted");
            there.subscribe("counted");
            there.wire().acknowledge(push -> false);

            CompletableFuture<JsonNode> drained =
                    CompletableFuture.supplyAsync(() -> drain(0, "counted", "10.2.0.1", "&wait=60s"));
            Payload push = there.wire().nextPush("NotifySubscriberRequest");
            while (push.bodyText().contains("\"10.2.0.1\"")) {
                // A new subscriber may be sent a list twice.
                push = there.wire().nextPush("NotifySubscriberRequest");
            }
            assertThat(push.bodyText()).contains("\"10.2.0.2\"");
            assertThat(drained).isNotDone();
            // The push after the answer to the subscription may come later.
            there.wire().acknowledge(each -> true);
            there.wire().acknowledge(push);

            JsonNode answer = drained.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(answer.path("acknowledged").asBoolean()).isTrue();
            assertThat(answer.path("subscribers").asInt()).isEqualTo(2);
        }
    }

    @Test
    void subscriberOfTheOtherNodeWithoutAnAcknowledgementIsNamed() {
        try (NamingClient provider = cluster.naming(0);
                NamingClient there = cluster.naming(1)) {
            provide(provider, "named");
            there.subscribe("named");
            there.wire().acknowledge(push -> false);

            JsonNode answer = drain(0, "named", "10.2.0.1", "&wait=2s");

            assertThat(answer.path("acknowledged").asBoolean(true)).isFalse();
            assertThat(answer.path("waiting")).hasSize(1);
        }
    }

    @Test
    void drainByOneNodeIsEndedByTheOther() {
        try (NamingClient provider = cluster.naming(0);
                NamingClient consumer = cluster.naming(1)) {
            provide(provider, "ended");
            drain(1, "ended", "10.2.0.1", "");
            assertThat(consumer.hosts("ended")).hasSize(1);

            assertThat(call("DELETE", 0, "ended", "10.2.0.1", "").statusCode()).isEqualTo(200);

            await().untilAsserted(() -> assertThat(consumer.hosts("ended")).hasSize(2));
            assertThat(drains(0, "ended")).containsExactly("ENDED", "ACKNOWLEDGED", "BEGUN");
            assertThat(drains(1, "ended")).isEqualTo(drains(0, "ended"));
        }
    }

    /** The events of drains of the service, newest first. */
    private static List<String> drains(int node, String service) {
        HttpResponse<String> answer =
                cluster.call("GET", node, "/nacos/v3/admin/ns/service/timeline?serviceName=" + service);
        List<String> events = new ArrayList<>();
        for (JsonNode entry : JSON.readTree(answer.body()).path("data")) {
            if (entry.path("kind").asString().equals("DRAIN")) {
                events.add(entry.path("event").asString());
            }
        }
        return events;
    }

    @Test
    void endsOnBothNodesAfterItsTimeAndWithTheDeregistration() {
        try (NamingClient provider = cluster.naming(0);
                NamingClient consumer = cluster.naming(1)) {
            provide(provider, "over");
            drain(1, "over", "10.2.0.1", "&for=1s");
            await().untilAsserted(() -> assertThat(consumer.hosts("over")).hasSize(2));

            drain(1, "over", "10.2.0.1", "");
            provider.registerAll("over", "10.2.0.2:80");

            await().untilAsserted(() -> {
                provide(provider, "over");
                assertThat(consumer.hosts("over")).hasSize(2);
            });
        }
    }
}

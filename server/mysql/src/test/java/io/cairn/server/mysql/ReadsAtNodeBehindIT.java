package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.DatabaseRelay;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads at a node whose way to the database is cut, so that it shows less than the heartbeats of the other node say. */
@Tag("full")
class ReadsAtNodeBehindIT {

    private static final String CONFIG = "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId=";

    @TempDir
    Path folder;

    @Test
    void readsOfANodeThatCannotLookSayForHowLongTheyMayBeOld() {
        try (TestSchema schema = TestSchema.create(ReadsAtNodeBehindIT.class);
                DatabaseRelay relay = new DatabaseRelay(schema.url());
                ClusterOfServers cluster = ClusterOfServers.start(
                        2, schema, folder, Map.of(), node -> node == 1 ? Map.of("db.url.0", relay.url()) : Map.of());
                WireClient client = cluster.wire(1)) {
            cluster.ok("POST", 0, CONFIG + "a&content=first");
            await().untilAsserted(() ->
                    assertThat(cluster.get(1, CONFIG + "a").body()).isEqualTo("first"));
            assertThat(cluster.get(1, CONFIG + "a").headers().firstValue(RevisionHeaders.STALE))
                    .isEmpty();

            relay.cut();
            cluster.ok("POST", 0, CONFIG + "a&content=second");
            cluster.ok("POST", 0, CONFIG + "b&content=new");

            await().atMost(PATIENCE).untilAsserted(() -> {
                HttpResponse<String> old = cluster.get(1, CONFIG + "a");
                assertThat(old.body()).isEqualTo("first");
                assertStale(old);
                HttpResponse<String> unknown = cluster.get(1, CONFIG + "b");
                assertThat(unknown.statusCode()).isEqualTo(404);
                assertStale(unknown);
                Payload answer = query(client);
                assertThat(WireClient.tree(answer).path("content").asString()).isEqualTo("first");
                assertThat(answer.header(RevisionHeaders.STALE)).matches("[1-9]\\d*");
            });
            assertThat(cluster.get(0, CONFIG + "a").headers().firstValue(RevisionHeaders.STALE))
                    .isEmpty();

            relay.heal();

            await().untilAsserted(() -> {
                HttpResponse<String> present = cluster.get(1, CONFIG + "a");
                assertThat(present.body()).isEqualTo("second");
                assertThat(present.headers().firstValue(RevisionHeaders.STALE)).isEmpty();
                Payload answer = query(client);
                assertThat(WireClient.tree(answer).path("content").asString()).isEqualTo("second");
                assertThat(answer.header(RevisionHeaders.STALE)).isNull();
            });
        }
    }

    private static void assertStale(HttpResponse<String> answer) {
        assertThat(answer.headers().firstValue(RevisionHeaders.STALE))
                .hasValueSatisfying(seconds -> assertThat(seconds).matches("[1-9]\\d*"));
    }

    private static Payload query(WireClient client) {
        return client.call(WireClient.payload("ConfigQueryRequest", "{\"dataId\":\"a\",\"group\":\"DEFAULT_GROUP\"}"));
    }
}

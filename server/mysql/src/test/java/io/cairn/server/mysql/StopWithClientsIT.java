package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.DatabaseRelay;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A node stops while clients over gRPC are still connected, because they have not moved in time. */
@Tag("full")
class StopWithClientsIT {

    private static final int UNREGISTERED = 301;
    private static final int MOST_STOPS = 3;

    private static TestSchema schema;

    @TempDir
    Path folder;

    private DatabaseRelay relay;
    private ClusterOfServers cluster;

    @BeforeAll
    static void create() {
        schema = TestSchema.create(StopWithClientsIT.class);
    }

    @AfterAll
    static void drop() {
        schema.close();
    }

    @BeforeEach
    void start() {
        relay = new DatabaseRelay(schema.url());
        cluster = ClusterOfServers.start(
                2,
                schema,
                folder,
                // The callers of a publish wait for as long as the other node does not show it.
                Map.of("cairn.cluster.drain-timeout", "1ms", "cairn.cluster.visible-within", "10m"),
                node -> node == 0 ? Map.of("db.url.0", relay.url()) : Map.of());
    }

    @AfterEach
    void stop() {
        relay.heal();
        if (cluster != null) {
            cluster.setting("cairn.cluster.drain-timeout", "0s");
            cluster.close();
        }
        relay.close();
    }

    private static Payload publish(String dataId) {
        return WireClient.payload(
                "ConfigPublishRequest",
                "{\"dataId\":\"" + dataId + "\",\"group\":\"DEFAULT_GROUP\",\"content\":\"1\"}");
    }

    /** An official client connects to another node after such an answer, and repeats the call. */
    @Test
    void furtherCallsAreAnsweredWithTheCodeThatSendsClientsToAnotherNode() {
        List<JsonNode> refusals = refusalsOfAStop();
        // The node answers for one second, in which a busy machine may let no call pass.
        for (int round = 1; refusals.isEmpty() && round < MOST_STOPS; round++) {
            cluster.start(1);
            cluster.awaitInService();
            refusals = refusalsOfAStop();
        }
        assertThat(refusals).isNotEmpty().allSatisfy(answer -> assertThat(
                        answer.path("message").asString())
                .isEqualTo("Connection is unregistered."));
    }

    /** Stops the node while a client calls it, and returns the answers that send the client away. */
    private List<JsonNode> refusalsOfAStop() {
        try (WireClient client = cluster.wire(1)) {
            List<JsonNode> refusals = new ArrayList<>();
            AtomicBoolean isOver = new AtomicBoolean();
            CompletableFuture<Void> calls = CompletableFuture.runAsync(() -> {
                while (!isOver.get()) {
                    try {
                        JsonNode answer = client.query("none");
                        if (answer.path("errorCode").asInt() == UNREGISTERED) {
                            refusals.add(answer);
                        }
                    } catch (StatusRuntimeException e) {
                        assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
                        isOver.set(true);
                    }
                }
            });

            cluster.stop(1);

            assertThat(calls).succeedsWithin(PATIENCE);
            assertThat(client.streamEnd())
                    .succeedsWithin(PATIENCE)
                    .extracting(Status::getCode)
                    .isEqualTo(Status.Code.UNAVAILABLE);
            return refusals;
        }
    }

    @Test
    void aPublishThatIsAcceptedIsAnsweredBeforeTheConnectionEnds() throws Exception {
        try (WireClient client = cluster.wire(1)) {
            relay.cut();
            CompletableFuture<Payload> accepted = CompletableFuture.supplyAsync(() -> client.call(publish("accepted")));
            await().untilAsserted(
                            () -> assertThat(schema.query("SELECT content FROM config_info WHERE data_id = 'accepted'"))
                                    .hasSize(1));
            assertThat(accepted).isNotDone();

            cluster.stop(1);

            JsonNode answer = WireClient.tree(accepted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            assertThat(answer.path("resultCode").asInt()).as(answer.toString()).isEqualTo(200);
        }
    }
}

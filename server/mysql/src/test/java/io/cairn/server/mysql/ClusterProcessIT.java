package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.load.ChildNode;
import io.cairn.server.nodes.load.ClusterCheck;
import io.cairn.server.nodes.load.ClusterLoad;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes on one database under load. One of them is killed, or hangs, or is stopped in order and started again. No list is
 * shorter meanwhile, no acknowledged publish is lost, all listeners end on the newest version, and proxies of the mesh keep what they have.
 * On a named database in the profile endurance only: nothing here depends on the kind of the database.
 */
@Tag("full")
@Tag("processes")
class ClusterProcessIT {

    private static final int GRPC_CLIENTS = 4;
    private static final int HTTP_INSTANCES = 8;

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfProcesses cluster;

    private ClusterLoad load;
    private ClusterCheck check;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(ClusterProcessIT.class);
        cluster = ChildNode.cluster(folder, schema.access(), 3);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        if (schema != null) {
            schema.close();
        }
    }

    @BeforeEach
    void connect() throws Exception {
        load = new ClusterLoad(cluster, GRPC_CLIENTS, HTTP_INSTANCES);
        check = new ClusterCheck(cluster, load);
        check.begin();
    }

    @AfterEach
    void disconnect() throws Exception {
        if (load != null) {
            load.close();
        }
    }

    @Test
    void nodeIsKilledAndStartedAgain() throws Exception {
        try (MeshOfNodes mesh = new MeshOfNodes(cluster)) {
            cluster.kill(0);
            mesh.moves(0, 1);
            // Past the window in which its clients must be elsewhere.
            TimeUnit.SECONDS.sleep(18);
            mesh.assertUndisturbed();
            cluster.restart(0);
            mesh.returnsTo(0);
            check.assertWhole();
            mesh.assertUndisturbed();
        }
    }

    @Test
    void nodeHangs() throws Exception {
        cluster.pause(1);
        for (String path : List.of("/nacos/v3/admin/core/attention", "/nacos/v3/admin/core/push/latency")) {
            // On a busy machine a node that runs may be late once.
            await().untilAsserted(() -> assertThat(silentNodes(path)).isEqualTo(cluster.address(1)));
        }
        List<String> dataIds =
                IntStream.range(0, 40).mapToObj(number -> "left-" + number).toList();
        AbandonedRequests abandoned = new AbandonedRequests(cluster, 1);
        abandoned.publish(dataIds, "old");
        abandoned.send("POST", "/nacos/v1/ns/instance?serviceName=left&ip=10.9.9.9&port=80&ephemeral=true");
        for (String dataId : dataIds) {
            assertThat(load.publish(0, dataId, "new")).isEqualTo("true");
        }
        TimeUnit.SECONDS.sleep(20);
        List<CompletableFuture<String>> reads = dataIds.stream()
                .map(dataId -> load.contentOnceItRuns(1, dataId))
                .toList();
        // Under way to the node, or in its buffers, before it runs.
        TimeUnit.SECONDS.sleep(1);
        cluster.resume(1);
        assertThat(reads).allSatisfy(read -> assertThat(read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isIn("new", RevisionHeaders.STALE));
        // Time for what was left to be carried out, were it so; the newest contents would be gone for good.
        TimeUnit.SECONDS.sleep(8);
        for (int i = 0; i < cluster.size(); i++) {
            int node = i;
            for (String dataId : dataIds) {
                await().untilAsserted(() -> assertThat(load.content(node, dataId))
                        .as("node %d, %s", node, dataId)
                        .isEqualTo("new"));
            }
            await().untilAsserted(() ->
                    assertThat(load.listed(node, "left")).as("node %d", node).isZero());
        }
        check.assertWhole();
    }

    @Test
    void nodeIsStoppedInOrderAndStartedAgain() throws Exception {
        cluster.stop(2);
        cluster.restart(2);
        check.assertWhole();
    }

    private static String silentNodes(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://" + cluster.address(0) + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("\"complete\":false");
        return answer.headers().firstValue("Cairn-Silent-Nodes").orElse("");
    }
}

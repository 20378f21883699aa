package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes on one database under load. One of them is killed, or hangs, or is stopped in order and started again. No list is
 * shorter meanwhile, no acknowledged publish is lost, and all listeners end on the newest version.
 */
@Tag("mysql")
class ClusterProcessIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** The bar is 1 s; other work runs on the machine of a build. */
    private static final Duration SHOWN_WITHIN = Duration.ofSeconds(4);
    /**
     * The bar is 3 s from when the client listens. This client may lose a listen when its node is killed (see {@code LostListens}), and
     * listens again up to 12 s after it has connected to the next one.
     */
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(24);

    private static final int GRPC_CLIENTS = 4;
    private static final int HTTP_INSTANCES = 8;

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfProcesses cluster;

    private ClusterLoad load;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(ClusterProcessIT.class);
        cluster = ClusterOfProcesses.start(folder, schema, 3);
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
        awaitAllListed();
        await().atMost(PATIENCE).until(() -> load.acknowledged().size() == 6);
        load.beginWatching();
    }

    @AfterEach
    void disconnect() throws Exception {
        if (load != null) {
            load.close();
        }
    }

    @Test
    void nodeIsKilledAndStartedAgain() throws Exception {
        cluster.kill(0);
        // Past the window in which its clients must be elsewhere.
        TimeUnit.SECONDS.sleep(18);
        cluster.restart(0);
        assertWhole();
    }

    @Test
    void nodeHangs() throws Exception {
        cluster.pause(1);
        TimeUnit.SECONDS.sleep(20);
        cluster.resume(1);
        TimeUnit.SECONDS.sleep(8);
        assertWhole();
    }

    @Test
    void nodeIsStoppedInOrderAndStartedAgain() throws Exception {
        cluster.stop(2);
        cluster.restart(2);
        assertWhole();
    }

    private void awaitAllListed() {
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(load.listed(index)).as("node %d", index).isEqualTo(load.instances()));
        }
    }

    private void assertWhole() throws Exception {
        awaitAllListed();
        load.finishPublishing();
        Map<String, Integer> expected = load.acknowledged();
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            await().atMost(SHOWN_WITHIN)
                    .untilAsserted(() ->
                            assertThat(load.shown(index)).as("node %d", index).isEqualTo(expected));
        }
        await().atMost(TOLD_WITHIN).untilAsserted(() -> assertThat(load.heard())
                .allSatisfy(told -> assertThat(told).isEqualTo(expected)));
        assertThat(load.violations()).as("violations%s", cluster.output()).isEmpty();
        assertThat(load.acknowledgements()).isPositive();
    }
}

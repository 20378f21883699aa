package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.WireClient;
import io.cairn.server.testing.LogWatch;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The database goes away for all nodes of a cluster while they publish. They see each other, so all of them stay in service, and answer reads
 * and listens.
 */
@Tag("full")
class ClusterOutageIT {

    private static final List<Integer> NODES = List.of(0, 1, 2);
    private static final String CONFIGS = "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId=";
    /** A configuration that does not change meanwhile. */
    private static final String KEPT = "kept";

    /** Longer than the time after which a node with old contents is out of service. */
    private static final Duration OUTAGE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private TestSchema schema;
    private ClusterOfServers cluster;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger stored = new AtomicInteger();
    private final Queue<String> outOfService = new ConcurrentLinkedQueue<>();
    private volatile boolean isOver;

    @BeforeEach
    void start() {
        schema = TestSchema.create(ClusterOutageIT.class);
        cluster = ClusterOfServers.startCuttable(3, schema, folder, Map.of());
        cluster.ok("POST", 0, CONFIGS + KEPT + "&content=kept");
        for (int node : NODES) {
            assertThat(read(node)).isEqualTo("kept");
        }
        for (int node : NODES) {
            run(() -> publish(node));
        }
        await().until(() -> stored.get() > 100);
        for (int node : NODES) {
            run(() -> watch(node));
        }
    }

    @AfterEach
    void stop() throws Exception {
        isOver = true;
        cluster.links().heal();
        for (Thread each : threads) {
            each.join(PATIENCE.toMillis());
        }
        cluster.close();
        schema.close();
    }

    private void run(Runnable task) {
        Thread thread = new Thread(task, "outage");
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    private void publish(int node) {
        for (int number = 0; !isOver; number++) {
            HttpResponse<String> answer = cluster.call("POST", node, CONFIGS + "of-" + node + "&content=" + number);
            if (answer.statusCode() == 200) {
                stored.incrementAndGet();
            }
        }
    }

    private void watch(int node) {
        while (!isOver) {
            HttpResponse<String> answer = cluster.get(node, "/nacos/v3/admin/core/state/readiness");
            // A busy machine may stop all of them for a moment.
            if (answer.statusCode() != 200 && !answer.body().contains("did not run")) {
                outOfService.add("node " + node + ": " + answer.body());
            }
            pause(100);
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The connections end, and no new one is accepted. */
    @Test
    void allNodesStayInServiceWhileTheDatabaseIsDown() {
        goesAndComes(() -> NODES.forEach(cluster.links()::cutFromDatabase));
    }

    /** The connections stay, and nothing is answered. */
    @Test
    void allNodesStayInServiceWhileTheDatabaseDoesNotAnswer() {
        goesAndComes(cluster.links()::silenceDatabase);
    }

    private void goesAndComes(Runnable away) {
        try (LogWatch log = new LogWatch()) {
            away.run();
            await().until(() -> NODES.stream().allMatch(this::refusesWrites));
            NODES.forEach(this::assertServesReads);
            // Only time can show that none leaves the service.
            pause(OUTAGE.toMillis());
            assertThat(outOfService).isEmpty();
            cluster.links().heal();
            int before = stored.get();
            await().until(() -> stored.get() > before + 100);
            cluster.awaitInService();
            assertThat(outOfService).isEmpty();
            assertThat(log.takeAlarms())
                    .as("lines about the outage, and no stack traces of the pool of connections")
                    .isNotEmpty()
                    .noneMatch(alarm -> alarm.contains("com.zaxxer.hikari"));
        }
    }

    /** Reads and listens are answered, although the node cannot know what others have stored. */
    private void assertServesReads(int node) {
        assertThat(read(node)).isEqualTo("kept");
        try (WireClient wire = cluster.wire(node)) {
            JsonNode read = wire.query(KEPT);
            assertThat(read.path("content").asString()).isEqualTo("kept");
            assertThat(wire.listen(KEPT, read.path("md5").asString()).path("changedConfigs"))
                    .isEmpty();
            assertThat(wire.listen(KEPT, "of an older content").path("changedConfigs"))
                    .hasSize(1);
        }
    }

    private String read(int node) {
        return cluster.ok("GET", node, CONFIGS + KEPT).body();
    }

    private boolean refusesWrites(int node) {
        return cluster.get(node, "/actuator/health/writes").statusCode() == 503;
    }
}

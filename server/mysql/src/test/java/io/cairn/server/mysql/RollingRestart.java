package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/** Restarts the nodes of a cluster one after the other, and looks at how clients are spread. */
record RollingRestart(ClusterOfServers cluster, RestartLoad load, Duration balancedWithin) {

    static final double MOST_OVER_AVERAGE = 1.15;

    /** The settings of the nodes. */
    static Map<String, String> settings(String rebalanceAfter) {
        return Map.of(
                "cairn.cluster.drain-timeout",
                PATIENCE.toSeconds() + "s",
                "cairn.cluster.rebalance-after",
                rebalanceAfter);
    }

    void run() {
        for (int node = 0; node < 3; node++) {
            cluster.stop(node);
            cluster.start(node);
            cluster.awaitInService();
        }
        assertUnharmed();
    }

    /** No call has failed, and no list was shorter. */
    void assertUnharmed() {
        assertThat(load.violations()).isEmpty();
        assertThat(load.calls()).isPositive();
    }

    void awaitBalanced() {
        await().atMost(balancedWithin).pollInterval(Duration.ofMillis(200)).untilAsserted(() -> assertThat(
                        overAverage())
                .as("connections max : average of %s", connections())
                .isLessThanOrEqualTo(MOST_OVER_AVERAGE));
    }

    /** The connections of each node, as one of them gathers them. */
    List<Integer> connections() {
        JsonNode loads = cluster.json(0, "/nacos/v3/admin/core/loader/cluster").path("data");
        assertThat(loads.path("completed").asBoolean()).isTrue();
        return StreamSupport.stream(loads.path("detail").spliterator(), false)
                .map(each -> each.path("conCount").asInt())
                .toList();
    }

    double overAverage() {
        IntStream counts = connections().stream().mapToInt(Integer::intValue);
        var statistics = counts.summaryStatistics();
        return statistics.getMax() / Math.max(1, statistics.getAverage());
    }
}

package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.ClusterOfProcesses;
import java.time.Duration;
import java.util.Map;

/** Compares each node and each client of a cluster with what the load was acknowledged. */
final class ClusterCheck {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** The bar is 1 s; other work runs on the machine of a build. */
    private static final Duration SHOWN_WITHIN = Duration.ofSeconds(10);
    /**
     * The bar is 3 s from when the client listens. This client may lose a listen when its node is killed (see {@code LostListens}), and
     * listens again up to 12 s after it has connected to the next one.
     */
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(24);

    private final ClusterOfProcesses cluster;
    private final ClusterLoad load;

    ClusterCheck(ClusterOfProcesses cluster, ClusterLoad load) {
        this.cluster = cluster;
        this.load = load;
    }

    /** Returns when all is listed and published; from then on a shorter list is a violation. */
    void begin() {
        awaitAllListed();
        await().atMost(PATIENCE).until(() -> load.acknowledged().size() == ClusterLoad.CONFIGS);
        load.beginWatching();
    }

    /** All instances are listed, all acknowledged publishes are shown and were notified, and no list was shorter meanwhile. */
    void assertWhole() {
        assertSame();
        assertThat(load.violations()).as("violations%s", cluster.output()).isEmpty();
    }

    /** As {@link #assertWhole}, without the lists of the time before. Pauses the publisher. */
    void assertSame() {
        awaitAllListed();
        load.pausePublishing();
        assertNothingOlder();
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
        assertThat(load.acknowledgements()).isPositive();
    }

    /** A later number than the acknowledged one may be that of a publish whose answer was lost; an earlier one is a loss. */
    private void assertNothingOlder() {
        Map<String, Integer> acknowledged = load.acknowledged();
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            await().atMost(SHOWN_WITHIN)
                    .untilAsserted(() -> assertThat(load.shown(index)).allSatisfy((dataId, number) -> assertThat(number)
                            .as("node %d, %s", index, dataId)
                            .isGreaterThanOrEqualTo(acknowledged.getOrDefault(dataId, 0))));
        }
    }

    private void awaitAllListed() {
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(load.listed(index)).as("node %d", index).isEqualTo(load.instances()));
        }
    }
}

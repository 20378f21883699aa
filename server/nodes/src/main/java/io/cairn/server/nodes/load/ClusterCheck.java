package io.cairn.server.nodes.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.ClusterOfProcesses;
import java.util.Map;

/** Compares each node and each client of a cluster with the acknowledged publishes. */
public final class ClusterCheck {

    private final ClusterOfProcesses cluster;
    private final ClusterLoad load;

    public ClusterCheck(ClusterOfProcesses cluster, ClusterLoad load) {
        this.cluster = cluster;
        this.load = load;
    }

    /** Returns when all is listed and published. From then on a shorter list is a violation. */
    public void begin() {
        awaitAllListed();
        await().until(() -> load.acknowledged().size() == ClusterLoad.CONFIGS);
        load.beginWatching();
    }

    /** All instances are listed, all acknowledged publishes are shown and were notified, and no list was shorter meanwhile. */
    public void assertWhole() {
        assertSame();
        assertThat(load.violations()).as("violations%s", cluster.output()).isEmpty();
    }

    /** As {@link #assertWhole}, without the lists of the time before. Pauses the publisher. */
    public void assertSame() {
        awaitAllListed();
        load.pausePublishing();
        assertNothingOlder();
        load.finishPublishing();
        Map<String, Integer> expected = load.acknowledged();
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            await().untilAsserted(() ->
                    assertThat(load.shown(index)).as("node %d", index).isEqualTo(expected));
        }
        await().untilAsserted(() ->
                assertThat(load.heard()).allSatisfy(told -> assertThat(told).isEqualTo(expected)));
        assertThat(load.acknowledgements()).isPositive();
    }

    /** A later number than the acknowledged one may be that of a publish whose answer was lost; an earlier one is a loss. */
    private void assertNothingOlder() {
        Map<String, Integer> acknowledged = load.acknowledged();
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            await().untilAsserted(() -> assertThat(load.shown(index)).allSatisfy((dataId, number) -> assertThat(number)
                    .as("node %d, %s", index, dataId)
                    .isGreaterThanOrEqualTo(acknowledged.getOrDefault(dataId, 0))));
        }
    }

    private void awaitAllListed() {
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            await().untilAsserted(() ->
                    assertThat(load.listed(index)).as("node %d", index).isEqualTo(load.instances()));
        }
    }
}

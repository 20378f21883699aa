package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All nodes of a cluster stop at once and start again, while their clients run on and register service by service. */
@Tag("full")
class ClusterRestartIT {

    private static final int PROVIDERS = 3;
    private static final int SERVICES = 40;
    private static final int OF_LARGE = 20;
    /** All registrations of a provider take longer than the window. */
    private static final Duration WINDOW = Duration.ofSeconds(15);

    private static final long EVERY_MILLIS = 600;
    private static final Duration RECOVERY = PATIENCE.plusMinutes(3);

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void noListIsShorterWhileClientsReturnAfterAllNodesWereStoppedAtOnce() throws Exception {
        try (TestSchema schema = TestSchema.create(ClusterRestartIT.class);
                ClusterOfServers cluster = ClusterOfServers.start(
                        3,
                        schema,
                        folder,
                        Map.of(
                                "cairn.naming.recovery-window", WINDOW.toSeconds() + "s",
                                "cairn.shutdown.drain", "2s",
                                // A node that waited for others that stop as well would take this long.
                                "cairn.cluster.drain-timeout", "1h"));
                ReturningProviders providers = new ReturningProviders(PROVIDERS, SERVICES, OF_LARGE)) {
            List<Integer> ports = cluster.nodes().stream().map(cluster::port).toList();
            providers.register(ports);
            for (int port : ports) {
                await().atMost(RECOVERY).untilAsserted(() -> {
                    assertThat(providers.missing(port)).isEmpty();
                    assertThat(providers.listsLost(port)).isTrue();
                });
            }

            cluster.stopAllAtOnce(RECOVERY);
            providers.disconnect();
            providers.startReading();
            CompletableFuture<Void> back = CompletableFuture.completedFuture(null);
            for (int node = 0; node < ports.size(); node++) {
                cluster.start(node);
                assertThat(providers.missing(cluster.port(node)))
                        .as("on node %s, which has just opened its ports", node)
                        .isEmpty();
                providers.read(cluster.port(node));
                if (node == 0) {
                    back = providers.comeBack(List.of(cluster.port(node)), EVERY_MILLIS);
                }
            }
            assertThat(back).succeedsWithin(RECOVERY);

            for (int node : cluster.nodes()) {
                await().atMost(RECOVERY).untilAsserted(() -> assertThat(providers.listsLost(cluster.port(node)))
                        .as("node %s lists what has not come back", node)
                        .isFalse());
                assertThat(providers.missing(cluster.port(node))).isEmpty();
            }
            assertThat(providers.shortLists()).as("%s reads", providers.reads()).isEmpty();
            assertThat(notBack(cluster))
                    .contains(ReturningProviders.service(0))
                    .hasSizeGreaterThanOrEqualTo(ReturningProviders.LOST_SERVICES);
        }
    }

    /** The services of the findings about instances that did not come back. */
    private static List<String> notBack(ClusterOfServers cluster) {
        return cluster.json(0, "/nacos/v3/admin/core/attention")
                .get("data")
                .valueStream()
                .filter(finding -> finding.get("kind").asString().equals("INSTANCES_NOT_BACK"))
                .map(finding -> finding.get("subject").asString())
                .distinct()
                .toList();
    }
}

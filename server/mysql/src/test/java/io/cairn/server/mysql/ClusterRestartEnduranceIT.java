package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.load.ChildNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * 22,000 instances of ten providers through a restart of all three nodes, killed or stopped in order, with the settings of production: 2,000
 * services of ten, and one of 2,000. The providers take longer than the recovery window until all is registered again.
 */
@Tag("endurance")
class ClusterRestartEnduranceIT {

    private static final int PROVIDERS = Integer.getInteger("cairn.test.restart.providers", 10);
    private static final int SERVICES = Integer.getInteger("cairn.test.restart.services", 2_000);
    private static final int OF_LARGE = SERVICES / 10;
    /** 2,000 services take 40 s. */
    private static final long EVERY_MILLIS = 20;

    private static final Duration RECOVERY = PATIENCE.plusMinutes(9);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void noListIsShorterWhileClientsReturn(boolean inOrder) throws Exception {
        try (TestSchema schema = TestSchema.create(ClusterRestartEnduranceIT.class);
                ClusterOfProcesses cluster = ChildNode.cluster(folder, schema.access(), 3);
                ReturningProviders providers = new ReturningProviders(PROVIDERS, SERVICES, OF_LARGE)) {
            List<Integer> ports = IntStream.range(0, cluster.size())
                    .mapToObj(cluster::httpPort)
                    .toList();
            providers.register(ports);
            awaitAll(providers, ports);
            report(providers.instances() + " instances are registered; all nodes are "
                    + (inOrder ? "stopped in order" : "killed"));
            Instant stop = Instant.now();
            if (inOrder) {
                cluster.stopAll();
            } else {
                cluster.killAll();
            }
            providers.disconnect();
            Instant stopped = Instant.now();
            try {
                cluster.restartAll();
            } catch (RuntimeException e) {
                throw new AssertionError(cluster.output(), e);
            }
            report("stopped in " + Duration.between(stop, stopped) + ", all serve after "
                    + Duration.between(stopped, Instant.now()));

            ports.forEach(providers::read);
            providers.startReading();
            Instant begin = Instant.now();
            CompletableFuture<Void> back = providers.comeBack(ports, EVERY_MILLIS);
            assertThat(back).succeedsWithin(RECOVERY);
            report("all are back after " + Duration.between(begin, Instant.now()) + "; " + providers.reads()
                    + " lists read, " + providers.shortLists().size() + " were short");
            for (int port : ports) {
                await().atMost(RECOVERY).untilAsserted(() -> assertThat(providers.listsLost(port))
                        .isFalse());
            }
            report("what is not back has ended after " + Duration.between(begin, Instant.now()) + "; "
                    + providers.reads() + " lists read");
            awaitAll(providers, ports);
            assertThat(providers.shortLists().stream().limit(50))
                    .as("of %s lists, %s", providers.reads(), cluster.output())
                    .isEmpty();
        }
    }

    private static void awaitAll(ReturningProviders providers, List<Integer> ports) {
        for (int port : ports) {
            await().atMost(RECOVERY).untilAsserted(() -> assertThat(
                            providers.missing(port).stream().limit(5))
                    .isEmpty());
        }
    }

    private static void report(String line) {
        System.out.println(Instant.now() + " restart of a cluster: " + line);
    }
}

package io.cairn.benchmark;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.benchmark.bare.BareServer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scenario of a cluster, for a moment, against bare servers in this process. */
@Tag("full")
class ClusterChurnIT {
    private static final String OWN_PID = Long.toString(ProcessHandle.current().pid());

    @Test
    void registrationsAreSeenByTheSubscribersOfEachNode() throws IOException {
        try (BareServer bare = BareServer.start(0, 1)) {
            // A bare server under two names is a cluster whose nodes know the same at once. The run is so
            // long that a busy machine makes only a part of the registrations late: they would replace each other
            // unseen.
            Run run = Run.against(
                    bare.httpPort(),
                    "cluster-churn",
                    "--node",
                    address(bare) + "=" + OWN_PID,
                    "--pid",
                    OWN_PID,
                    "--clients",
                    "6",
                    "--services",
                    "3",
                    "--changes",
                    "200",
                    "--publishes",
                    "100",
                    "--seconds",
                    "2");
            assertThat(run.exitCode()).as(run.text()).isZero();
            assertThat(run.figure("nodes")).isEqualTo(2);
            assertThat(run.figure("registrations")).isPositive().isLessThan(run.figure("changes"));
            assertThat(run.figure("publishes")).isPositive();
            assertThat(run.figure("view_here_p50_us")).isPositive();
            assertThat(run.figure("view_elsewhere_p50_us"))
                    .isPositive()
                    .isLessThanOrEqualTo(run.figure("view_elsewhere_p99_us"));
            assertThat(run.figure("publish_p99_us")).isPositive();
            assertThat(run.figure("connected_again")).isZero();
            assertThat(run.figure("node_1_cpu_cores")).isPositive();
            assertThat(run.figure("node_2_cpu_cores")).isPositive();
            assertThat(run.figure("instances_not_shown")).isZero();
        }
    }

    @Test
    void clientsOfANodeThatEndsConnectToTheNextOne() throws Exception {
        try (BareServer first = BareServer.start(0, 1);
                BareServer second = BareServer.start(0, 1)) {
            CompletableFuture<Run> running = CompletableFuture.supplyAsync(() -> Run.against(
                    first.httpPort(),
                    "cluster-churn",
                    "--restarts",
                    "--node",
                    address(second) + "=0",
                    "--clients",
                    "4",
                    "--services",
                    "2",
                    "--changes",
                    "100",
                    "--seconds",
                    "1"));
            while (second.acknowledged() == 0 && !running.isDone()) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            second.close();
            Run run = running.get(PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS);
            assertThat(run.exitCode()).as(run.text()).isZero();
            // Two clients, a subscriber and a publisher.
            assertThat(run.figure("connected_again")).isEqualTo(4);
            assertThat(run.figure("instances_not_shown")).isZero();
            assertThat(run.text()).doesNotContain("node_2_cpu_cores");
        }
    }

    @Test
    void aClusterWhoseNodesKnowDifferentInstancesFails() throws IOException {
        try (BareServer first = BareServer.start(0, 1);
                BareServer second = BareServer.start(0, 1)) {
            Run run = Run.against(
                    first.httpPort(),
                    "cluster-churn",
                    "--node",
                    address(second) + "=0",
                    "--clients",
                    "4",
                    "--services",
                    "2",
                    "--drain",
                    "0.2");
            assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
            // Two instances of each node are missing at the other one.
            assertThat(run.figure("instances_not_shown")).isEqualTo(4);
        }
    }

    @Test
    void readsOnHowManyNodesAPublishIsVisible() {
        assertThat(ClusterChurn.visibleOn(3, "3/3")).isTrue();
        assertThat(ClusterChurn.visibleOn(3, "2/3")).isFalse();
        assertThat(ClusterChurn.visibleOn(3, "2/2")).isFalse();
        assertThat(ClusterChurn.visibleOn(3, "")).isNull();
    }

    private static String address(BareServer server) {
        return "127.0.0.1:" + server.httpPort();
    }
}

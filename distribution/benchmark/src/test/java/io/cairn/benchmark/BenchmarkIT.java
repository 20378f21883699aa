package io.cairn.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.cairn.benchmark.bare.BareServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every subcommand, for a moment, against the bare server in this process. */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BenchmarkIT extends BareServerTests {

    @Test
    void grpcReadReportsThroughputLatencyAndCpu() {
        Run run = run("grpc-read", "--connections", "2", "--in-flight", "4", "--configs", "3", "--pid", OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isPositive();
        assertThat(run.figure("operations_per_second"))
                .isCloseTo(run.figure("operations") / run.figure("seconds"), withinPercentage(1));
        assertThat(run.figure("server_cpu_us_per_op")).isPositive();
        assertThat(run.figure("latency_p50_us")).isPositive().isLessThanOrEqualTo(run.figure("latency_p99_us"));
        assertThat(run.figure("failures")).isZero();
    }

    @Test
    void aRateIsKept() {
        Run run = run("grpc-read", "--rate", "200", "--seconds", "1", "--connections", "3", "--configs", "2");
        assertThat(run.exitCode()).as(run.text()).isZero();
        // Without a rate it is thousands; a busy machine may be late with some.
        assertThat(run.figure("operations_per_second")).isBetween(10.0, 1_000.0);
    }

    @Test
    void contentsLargerThanAFrameAndTheWindowsAreSentAndRead() {
        Run run = run("grpc-read", "--size", "1048576", "--configs", "2", "--connections", "1", "--in-flight", "3");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isPositive();
    }

    @Test
    void httpReadKeepsItsConnections() {
        Run run = run("http-read", "--connections", "3", "--configs", "3");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isPositive();
        assertThat(run.figure("reconnects")).isZero();
    }

    @Test
    void grpcPublishReportsPublishes() {
        String self = Long.toString(ProcessHandle.current().pid());
        Run run = run("grpc-publish", "--connections", "2", "--in-flight", "4", "--keys", "5", "--pid", self);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isPositive();
        // Caller and server are this one process, so each publish of a kilobyte or more is among what it writes.
        assertThat(run.figure("server_written_bytes_per_op")).isGreaterThan(1024);
        assertThat(run.figure("server_write_calls_per_op")).isPositive();
        assertThat(run.figure("server_disk_bytes_per_op")).isNotNegative();
    }

    @Test
    void everySubscriberIsNotifiedOfEveryChangeAndAcknowledges() {
        long before = bare.acknowledged();
        Run run = run("push", "--subscribers", "3", "--configs", "20", "--rate", "100", "--seconds", "1");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("notifications")).isPositive();
        assertThat(run.figure("notifications_missing")).isZero();
        assertThat(run.figure("notification_mean_us")).isPositive();
        assertThat(bare.acknowledged() - before).isGreaterThanOrEqualTo((long) run.figure("notifications"));
    }

    @Test
    void aSubscriberThatListensAgainFollowsTheDigests() {
        Run run = run("push", "--subscribers", "2", "--configs", "20", "--rate", "100", "--re-listen");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("failures")).isZero();
    }

    @Test
    void notificationsThatDoNotComeFailTheRun() throws IOException {
        try (BareServer broken = BareServer.start(0, 1)) {
            broken.mute(true);
            Run run = Run.against(broken.httpPort(), "push", "--subscribers", "2", "--configs", "3", "--rate", "50");
            assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
            assertThat(run.figure("notifications_missing")).isEqualTo(6);
        }
    }

    @Test
    void fanOutTimesEveryListenerAndTheLastOne() {
        Run run = run("fan-out", "--listeners", "20", "--rounds", "3", "--warmup-rounds", "1", "--pause-ms", "1");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("rounds")).isEqualTo(3);
        assertThat(run.figure("notification_mean_us"))
                .isPositive()
                .isLessThanOrEqualTo(run.figure("last_notification_mean_us"));
    }

    /** First: the other tests leave event loops behind that end, and free memory, seconds later. */
    @Test
    @Order(1)
    void connectionsAreWeighed() {
        Run run = run("connections", "--count", "300", "--listens", "20", "--settle", "0", "--pid", OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        // Both ends are in this process, and what it frees meanwhile blurs the figure.
        assertThat(run.figure("heap_bytes_per_connection_with_listens")).isBetween(1_000.0, 200_000.0);
        assertThat(run.figure("heap_bytes_per_listen")).isLessThan(run.figure("heap_bytes_per_connection"));
    }

    @Test
    void aChangeCompletesAllParkedPolls() {
        Run run = run("long-poll", "--count", "50", "--listens", "3", "--rounds", "1", "--warmup-rounds", "1");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("answer_mean_us")).isPositive();
        assertThat(run.figure("polls_answered_otherwise")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mixed", "update", "repeat"})
    void grpcRegisterLeavesTheLastRegistrations(String cycle) {
        Run run = run(
                "grpc-register",
                "--connections",
                "3",
                "--in-flight",
                "4",
                "--services",
                "10",
                "--cycle",
                cycle,
                "--pid",
                OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isPositive();
        assertThat(run.figure("server_cpu_us_per_op")).isPositive();
        assertThat(run.figure("services_with_wrong_instances")).isZero();
    }

    @Test
    void httpListReadsAllInstances() {
        Run run = run("http-list", "--connections", "3", "--services", "2", "--instances", "5");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isPositive();
        assertThat(run.figure("answer_bytes")).isGreaterThan(5 * 200);
        assertThat(run.figure("reconnects")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--full", "--rate=200"})
    void httpBeatKeepsRegisteredInstancesAlive(String option) {
        Run run = run("http-beat", "--connections", "3", "--instances", "20", "--services", "3", option);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isPositive();
        assertThat(run.figure("failures")).isZero();
    }

    @Test
    void everySubscriberSeesEveryChangeOfTheServiceAndAcknowledges() {
        long before = bare.acknowledged();
        Run run = run(
                "service-push",
                "--subscribers",
                "20",
                "--pause-ms",
                "20",
                "--idle",
                "0.1",
                "--instances",
                "30",
                "--pid",
                OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("changes")).isPositive();
        assertThat(run.figure("pushes")).isEqualTo(20 * run.figure("changes"));
        assertThat(run.figure("push_mean_us")).isPositive().isLessThanOrEqualTo(run.figure("last_push_mean_us"));
        assertThat(run.figure("bytes_per_push")).isGreaterThan(30 * 200);
        assertThat(run.figure("pushes_of_another_state")).isZero();
        assertThat(run.figure("server_cpu_us_per_push_above_idle"))
                .isLessThanOrEqualTo(run.figure("server_cpu_us_per_push"));
        assertThat(bare.acknowledged() - before).isGreaterThanOrEqualTo((long) run.figure("pushes"));
    }

    @Test
    void serversBesideEachOtherHaveTheSameChangesInTurn() throws IOException {
        long before = bare.acknowledged();
        try (BareServer second = BareServer.start(0, 1)) {
            Run run = run(
                    "service-push",
                    "--subscribers",
                    "10",
                    "--pause-ms",
                    "20",
                    "--idle",
                    "0.1",
                    "--pid",
                    OWN_PID,
                    "--beside",
                    "127.0.0.1:" + second.httpPort() + "=" + OWN_PID);
            assertThat(run.exitCode()).as(run.text()).isZero();
            assertThat(run.figure("changes")).isPositive();
            assertThat(run.figure("beside_1_changes")).isEqualTo(run.figure("changes"));
            assertThat(run.figure("pushes")).isEqualTo(10 * run.figure("changes"));
            assertThat(run.figure("beside_1_pushes")).isEqualTo(run.figure("pushes"));
            assertThat(run.figure("beside_1_pushes_missing")).isZero();
            assertThat(run.text()).contains("127.0.0.1:" + second.httpPort());
            assertThat(bare.acknowledged() - before).isGreaterThanOrEqualTo((long) run.figure("pushes"));
            assertThat(second.acknowledged()).isGreaterThanOrEqualTo((long) run.figure("beside_1_pushes"));
        }
        Run unknown = run("service-push", "--beside", "127.0.0.1:1=0");
        assertThat(unknown.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
        assertThat(unknown.text()).contains("--beside pid");
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "7", "1"})
    void aStormEndsWithTheSameViewEverywhere(String connections) {
        Run run = run(
                "service-storm",
                "--instances",
                "30",
                "--connections",
                connections,
                "--subscribers",
                "10",
                "--rate",
                "200",
                "--passes",
                "2",
                "--settle",
                "0",
                "--pid",
                OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("operations")).isEqualTo(60);
        assertThat(run.figure("pushes")).isEqualTo(60 * 2 * 10);
        assertThat(run.figure("pushes_per_change_and_subscriber")).isEqualTo(1);
        assertThat(run.figure("bytes_pushed")).isGreaterThan(run.figure("pushes") * 10 * 200);
        assertThat(run.figure("push_p99_us")).isPositive();
        assertThat(run.figure("server_rss_peak_kb")).isPositive();
        assertThat(run.figure("converged_after_last_change_us")).isPositive();
        assertThat(run.figure("views_that_went_back")).isZero();
    }

    @Test
    void aLostFinalStateFailsTheStorm() throws IOException {
        try (BareServer broken = BareServer.start(0, 1)) {
            broken.mute(true);
            Run run = Run.against(
                    broken.httpPort(),
                    "service-storm",
                    "--instances",
                    "5",
                    "--subscribers",
                    "3",
                    "--converge",
                    "0.2",
                    "--settle",
                    "0");
            assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
            assertThat(run.figure("subscribers_with_a_wrong_final_view")).isEqualTo(3);
            assertThat(run.figure("service_with_a_wrong_final_state")).isZero();
        }
    }

    @Test
    void theBaselineRunsInAProcessOfItsOwn() {
        Run run = run("grpc-read", "--baseline", "--connections", "1", "--configs", "1", "--pid", OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("bare_operations")).isPositive();
        assertThat(run.figure("bare_server_cpu_us_per_op")).isPositive();
        assertThat(run.figure("operations")).isPositive();
    }

    @Test
    void anotherMachineIsRefused() {
        Run run = Run.execute(List.of("grpc-read", "--server", "192.0.2.1:8848"));
        assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
        assertThat(run.text())
                .isEqualTo("failed: --server: '192.0.2.1' is not this machine (expected: a loopback address)\n");
    }

    @Test
    void reportsAnUnreachableServerInOneLine() throws IOException {
        try (Socket deaf = new Socket()) { // nobody listens there, and nobody else can
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Run run = Run.against(deaf.getLocalPort() - 1000, "grpc-read");
            assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
            assertThat(run.text()).startsWith("failed: connect to ").contains("Connection refused");
            assertThat(run.text().lines()).hasSize(1);
        }
    }

    @Test
    void refusesValuesOutOfBounds() {
        Run run = run("connections", "--count", "20000");
        assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
        assertThat(run.text()).isEqualTo("failed: --count: 20000 (expected: 1-19000)\n");
    }
}

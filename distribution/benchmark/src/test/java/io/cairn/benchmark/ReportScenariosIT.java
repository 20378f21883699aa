package io.cairn.benchmark;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.benchmark.bare.BareServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scenarios of the whole report, for a moment, against the bare server in this process. */
@Tag("full")
class ReportScenariosIT extends BareServerTests {

    @Test
    void subscribersSeeEveryReplacedInstance() {
        Run run = run(
                "service-churn",
                "--services",
                "20",
                "--instances",
                "3",
                "--subscribers",
                "8",
                "--subscriptions",
                "6",
                "--percent",
                "20000",
                "--idle",
                "0.1",
                "--pid",
                OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("changes_per_second")).isEqualTo(200);
        assertThat(run.figure("changes")).isPositive();
        assertThat(run.figure("pushes")).isPositive();
        assertThat(run.figure("push_p95_us"))
                .isPositive()
                .isBetween(run.figure("push_p50_us"), run.figure("push_p99_us"));
        assertThat(run.figure("instances_not_shown")).isZero();
    }

    @Test
    void churnFailsWithoutPushes() throws IOException {
        try (BareServer broken = BareServer.start(0, 1)) {
            broken.mute(true);
            Run run = Run.against(
                    broken.httpPort(),
                    "service-churn",
                    "--services",
                    "1",
                    "--instances",
                    "1",
                    "--subscribers",
                    "2",
                    "--subscriptions",
                    "1",
                    "--drain",
                    "0.2",
                    "--idle",
                    "0.05",
                    "--percent",
                    "6000");
            assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
            assertThat(run.figure("instances_not_shown")).isEqualTo(2);
        }
    }

    @Test
    void instancesAreRegisteredWeighedAndRead() {
        Run run = run(
                "service-capacity", "--services", "200", "--instances", "7", "--connections", "3", "--pid", OWN_PID);
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.figure("instances")).isEqualTo(1400);
        assertThat(run.figure("registered_per_second")).isPositive();
        assertThat(run.text()).contains("\"heap_bytes_per_instance\":");
        assertThat(run.figure("read_operations")).isPositive();
        assertThat(run.figure("read_latency_p95_us")).isPositive();
    }

    @Test
    void searchesFindPublishedConfigs() {
        Run run = run("config-search", "--configs", "200", "--size", "64", "--seconds", "0.2", "--rate", "100");
        assertThat(run.exitCode()).as(run.text()).isZero();
        for (String search : List.of("first_page", "middle_page", "part_of_name", "whole_name")) {
            assertThat(run.figure(search + "_operations")).as(search).isPositive();
        }
    }

    @Test
    void allRunsEveryScenarioAndWritesATableAndJson(@TempDir Path folder) throws IOException {
        Path json = folder.resolve("report.json");
        Run run = Run.execute(List.of(
                "all",
                "--server",
                "127.0.0.1:" + bare.httpPort(),
                "--pid",
                OWN_PID,
                "--scale",
                "0.001",
                "--warmup",
                "0.05",
                "--seconds",
                "0.2",
                "--json-file",
                json.toString()));
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.text().lines()).hasSize(18).allSatisfy(line -> assertThat(line.split(" +"))
                .hasSizeGreaterThanOrEqualTo(8));
        Run written = new Run(0, Files.readString(json));
        assertThat(written.text().lines()).hasSize(17);
        assertThat(written.text())
                .contains(
                        "\"benchmark\":\"churn\"",
                        "\"benchmark\":\"search\"",
                        "\"benchmark\":\"xds-delta\"",
                        "_p95_us");
    }

    @Test
    void aMissingFeatureIsALineOfTheReport() throws IOException {
        Run run;
        try (Socket deaf = new Socket()) { // nobody listens there, and nobody else can
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            run = Run.execute(List.of(
                    "all",
                    "--server",
                    "127.0.0.1:" + deaf.getLocalPort(),
                    "--only",
                    "get-http,list",
                    "--warmup",
                    "0.05",
                    "--seconds",
                    "0.2"));
        }
        assertThat(run.exitCode()).as(run.text()).isEqualTo(BenchmarkCommand.FAILED);
        assertThat(run.text().lines().filter(line -> line.startsWith("  failed: ")))
                .as(run.text())
                .hasSize(2)
                .allMatch(line -> line.contains("refused"));
        assertThat(run.text()).contains("get-http ", "list ");
    }

    @Test
    void sendsKeepAliveToAnHttp10Client() throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), bare.httpPort())) {
            BufferedReader answers = new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII));
            for (int i = 0; i < 2; i++) {
                client.getOutputStream()
                        .write("GET /nacos/v1/auth/login HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
                                .getBytes(US_ASCII));
                List<String> headers = new ArrayList<>();
                for (String line = answers.readLine(); !line.isEmpty(); line = answers.readLine()) {
                    headers.add(line.toLowerCase(Locale.ROOT));
                }
                assertThat(headers).contains("connection: keep-alive");
                answers.skip("{\"accessToken\":\"bare\"}".length());
            }
        }
    }

    @Test
    void sendsTheTokenWithEveryRequestAfterALogin() {
        Run run = run("http-read", "--user", "nacos", "--password", "secret", "--configs", "3", "--connections", "2");
        assertThat(run.exitCode()).as(run.text()).isZero();
        Run grpc = run("grpc-read", "--user", "nacos", "--password", "secret", "--configs", "3", "--connections", "2");
        assertThat(grpc.exitCode()).as(grpc.text()).isZero();
    }
}

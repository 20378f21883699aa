package io.cairn.server;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.cairn.server.support.ChildServer;
import io.cairn.server.support.WireClient;
import io.cairn.testing.HangLimit;
import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server as a process: how it starts, why it does not, and how it ends. */
@Tag("full")
@HangLimit
class CairnServerIT {

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path home;

    @Test
    void reportsWhenItIsReadyAndStopsWithoutLoss() throws Exception {
        try (ChildServer server = ChildServer.start(home)) {
            assertThat(server.status())
                    .isEqualTo("ready\nHTTP  http://127.0.0.1:" + server.httpPort() + "/nacos\ngRPC  127.0.0.1:"
                            + server.grpcPort() + "\n");
            assertThat(server.grpcPort()).isEqualTo(server.httpPort() + 1000);
            assertThat(server.pidFile()).hasContent(Long.toString(server.pid()));
            try (WireClient client =
                    WireClient.connect("127.0.0.1", server.grpcPort()).setUp()) {
                assertThat(client.publish("a.yaml", "a: 1").path("success").asBoolean())
                        .isTrue();
            }

            assertThat(server.stop()).isIn(0, 143);

            assertThat(server.pidFile()).doesNotExist();
            assertThat(server.errors()).isEmpty();
        }
        assertThat(home.resolve("data").resolve("cairn.db")).exists();
        assertThat(home.resolve("data").resolve("cairn.db-wal"))
                .as("what a graceful stop leaves is one file")
                .doesNotExist();
        assertThat(home.resolve("logs").resolve("cairn.log")).content().contains("Stopped");

        try (CairnServer server =
                CairnServer.builder().home(home).setting("server.port", "0").start()) {
            assertThat(get(server.httpPort(), "/v1/cs/configs?dataId=a.yaml&group=DEFAULT_GROUP"))
                    .isEqualTo("a: 1");
        }
    }

    @Test
    void refusesASecondServerOnTheSameDataFolder() throws Exception {
        try (ChildServer first = ChildServer.start(home);
                ChildServer second = ChildServer.launch(home, "--server.port=0")) {
            assertRefused(
                    second,
                    "Data folder " + home.resolve("data") + " is in use by another Cairn (process " + first.pid()
                            + "); stop that one, or give this one its own cairn.data-dir");

            assertThat(get(first.httpPort(), "/v1/console/health/readiness")).isEqualTo("OK");
            try (ChildServer third = ChildServer.start(home, "--cairn.data-dir=other")) {
                assertThat(home.resolve("other").resolve("cairn.db")).exists();
                assertThat(third.isAlive()).isTrue();
            }
        }
    }

    @Test
    void killedServerLeavesNoLock() {
        try (ChildServer killed = ChildServer.start(home)) {
            killed.kill();
        }
        try (ChildServer next = ChildServer.start(home)) {
            assertThat(next.isAlive()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"0, HTTP", "1000, gRPC"})
    void aPortThatIsTakenIsNamed(int above, String what) throws Exception {
        int port = ReservedPorts.ofServer();
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port + above));
            try (ChildServer server = ChildServer.launch(home, "--server.port=" + port)) {
                assertThat(server.exit()).isEqualTo(1);
                assertThat(oneLine(server))
                        .contains(what)
                        .contains(Integer.toString(port + above))
                        .contains("in use", "stop the process that has it or choose another server.port");
                assertThat(home.resolve("data"))
                        .as("nothing was loaded before the ports were tried")
                        .doesNotExist();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--server.port=eighty | server.port: eighty (expected: 0-64535)",
                "--cairn.store.queue-writes=many | cairn.store.queue-writes: many (expected: a whole number)",
                "--cairn.push.ack-timeout=soon | cairn.push.ack-timeout: soon (expected: a duration such as 500ms or 3s)",
            })
    void reportsAnInvalidSettingWithTheExpectedValue(String argument, String line) {
        // Another server may have the usual port.
        String[] arguments = argument.startsWith("--server.port")
                ? new String[] {argument}
                : new String[] {"--server.port=0", argument};
        try (ChildServer server = ChildServer.launch(home, arguments)) {
            assertRefused(server, line);
        }
        assertThat(home.resolve("data")).as("nothing was made").doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"nacos.standalone=false | Cluster mode needs a database server"})
    void aSettingThatCannotBeHonouredIsRefused(String line, String named) throws Exception {
        Path settings = Files.createDirectories(home.resolve("conf")).resolve("application.properties");
        Files.writeString(settings, line + "\n");
        try (ChildServer server = ChildServer.launch(home, "--server.port=0")) {
            assertThat(server.exit()).isEqualTo(1);
            assertThat(oneLine(server)).startsWith(named);
        }
        assertThat(home.resolve("data")).as("nothing was made").doesNotExist();
    }

    @Test
    void aDataFolderThatIsAFileIsNamed() throws Exception {
        Path file = Files.writeString(home.resolve("data"), "not a folder");
        try (ChildServer server = ChildServer.launch(home, "--server.port=0")) {
            assertThat(server.exit()).isEqualTo(1);
            assertThat(oneLine(server)).startsWith("Data folder " + file + " cannot be used: ");
        }
        assertThat(file).hasContent("not a folder");
    }

    @Test
    void aDataFolderThatCannotBeWrittenIsNamed() throws Exception {
        Path readOnly = readOnlyFolder();
        try (ChildServer server =
                ChildServer.launch(home, "--server.port=0", "--cairn.data-dir=" + readOnly.resolve("cairn"))) {
            assertThat(server.exit()).isEqualTo(1);
            assertThat(oneLine(server)).startsWith("Data folder " + readOnly.resolve("cairn") + " cannot be used: ");
        }
    }

    @Test
    void aDatabaseThatIsDamagedIsNamed() throws Exception {
        Path data = Files.createDirectories(home.resolve("data"));
        Files.writeString(data.resolve("cairn.db"), "this is no database, although it is long enough".repeat(100));
        try (ChildServer server = ChildServer.launch(home, "--server.port=0")) {
            assertThat(server.exit()).isEqualTo(1);
            assertThat(oneLine(server))
                    .startsWith(
                            "Database " + data.resolve("cairn.db") + " cannot be used: the database file is damaged")
                    .endsWith("restore it from a backup");
        }
    }

    @Test
    void aTrainingRunEndsByItselfAndLeavesNothing() throws Exception {
        try (ChildServer server = ChildServer.launch(home, "--train")) {
            assertThat(server.exit()).as(server.errors()).isZero();
        }
        assertThat(home.resolve("data")).doesNotExist();
    }

    @Test
    void theLastValueOfARepeatedSettingWins() throws Exception {
        Path settings = Files.createDirectories(home.resolve("conf")).resolve("application.properties");
        Files.writeString(settings, "server.servlet.contextPath=/first\ncairn.data-dir=first\nserver.port=1\n");
        int port = ReservedPorts.ofServer();
        Files.writeString(
                settings,
                "server.servlet.contextPath=/last\ncairn.data-dir=last\nserver.port=" + port + "\n",
                StandardOpenOption.APPEND);

        try (CairnServer server = CairnServer.builder().home(home).start()) {
            assertThat(server.httpPort()).isEqualTo(port);
            assertThat(server.grpcPort()).isEqualTo(port + 1000);
            assertThat(home.resolve("last").resolve("cairn.db")).exists();
            assertThat(home.resolve("first")).doesNotExist();
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/last/v1/console/health/readiness"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo("OK");
        }
    }

    @Test
    void ofAnArgumentThatIsGivenTwiceTheLastOneWins() throws Exception {
        try (CairnServer server = CairnServer.builder()
                .temporary()
                .setting("server.servlet.contextPath", "/first")
                .setting("server.servlet.contextPath", "/nacos")
                .start()) {
            assertThat(get(server.httpPort(), "/v1/console/health/readiness")).isEqualTo("OK");
        }
    }

    @Test
    void withoutAContextPathEverythingIsAtTheRoot() throws Exception {
        try (CairnServer server = CairnServer.builder()
                .temporary()
                .setting("server.servlet.contextPath", "/")
                .start()) {
            for (String path : List.of(
                    "/",
                    "/v1/console/health/readiness",
                    "/v3/console/health/readiness",
                    "/v1/ns/service/list?pageNo=1&pageSize=9",
                    "/actuator/health")) {
                HttpResponse<String> answer = http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(path).isEqualTo(200);
            }
        }
    }

    @Test
    void aTemporaryServerMayBeClosedTwiceAndReleasesItsPort() throws Exception {
        int port = ReservedPorts.ofServer();
        CairnServer server = CairnServer.builder()
                .temporary()
                .setting("server.port", Integer.toString(port))
                .start();
        server.close();
        server.close();

        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        assertThat(Path.of("data").toAbsolutePath()).doesNotExist();
    }

    @Test
    void releasesDataFolderWhenPortIsInUse() throws Exception {
        int port = ReservedPorts.ofServer();
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port + 1000));
            assertThatThrownBy(() -> CairnServer.builder()
                            .home(home)
                            .setting("server.port", Integer.toString(port))
                            .start())
                    .hasStackTraceContaining(Integer.toString(port + 1000));
        }
        try (CairnServer server = CairnServer.builder()
                .home(home)
                .setting("server.port", Integer.toString(port))
                .start()) {
            assertThat(server.httpPort()).isEqualTo(port);
        }
    }

    private static void assertRefused(ChildServer server, String line) {
        assertThat(server.exit()).isEqualTo(1);
        assertThat(oneLine(server)).isEqualTo(line);
    }

    /** Why it did not start, as its status file and its standard error say alike. */
    private static String oneLine(ChildServer server) {
        assertThat(server.status()).startsWith("failed\n").endsWith("\n");
        String line = server.status().substring("failed\n".length()).stripTrailing();
        assertThat(line).doesNotContain("\n").isNotBlank();
        assertThat(server.errors()).isEqualTo("Cairn did not start: " + line + System.lineSeparator());
        assertThat(server.output()).doesNotContain("Exception").doesNotContain("\tat ");
        assertThat(server.pidFile()).doesNotExist();
        return line;
    }

    private String get(int port, String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/nacos" + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** A folder in which nobody can make another: one of root's needs the help of the system. */
    private static Path readOnlyFolder() throws IOException {
        Path folder = Files.createTempDirectory("cairn-read-only");
        folder.toFile().deleteOnExit();
        if (folder.toFile().setWritable(false) && !Files.isWritable(folder)) {
            return folder;
        }
        Path system = Path.of("/proc/self");
        assumeThat(system).isDirectory();
        return system.toRealPath().getParent();
    }

    @Test
    void aStoppingProcessAsksItsClientsToMoveAndEnds() {
        try (ChildServer server = ChildServer.start(home);
                WireClient client = WireClient.connect("127.0.0.1", server.grpcPort())) {
            client.setUp();

            CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(server::stop);

            assertThat(client.nextPush().type()).isEqualTo("ConnectResetRequest");
            assertThat(exit).succeedsWithin(PATIENCE);
            assertThat(exit.join()).isIn(0, 143);
            assertThat(client.streamEnd()).succeedsWithin(PATIENCE);
            assertThat(server.output())
                    .contains("Draining: 1 clients are asked to move, within 2000 ms")
                    .containsPattern("Still connected after [0-9]+ ms: 1 clients over gRPC and 0 over HTTP")
                    .contains("Stopped");
        }
    }
}

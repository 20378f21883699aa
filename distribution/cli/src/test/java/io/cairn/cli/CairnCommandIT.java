package io.cairn.cli;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.cairn.server.CairnServer;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands against a server that requires no login. */
class CairnCommandIT {

    private static CairnServer server;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        server = CairnServer.builder().temporary().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The output and exit code of a command. */
    record Answer(int status, String out, String err) {}

    static Answer run(Map<String, String> environment, String input, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = new Cairn(environment, new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)))
                .run(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Answer(status, out.toString(), err.toString());
    }

    private static Answer cairn(String... arguments) {
        return cairnReading("", arguments);
    }

    private static Answer cairnReading(String input, String... arguments) {
        return run(Map.of("CAIRN_SERVER", server.address()), input, arguments);
    }

    private static String done(Answer answer) {
        assertThat(answer.status()).as(answer.toString()).isZero();
        return answer.out();
    }

    private static String idOf(String history, String operation) {
        return history.lines()
                .filter(line -> line.contains(operation))
                .findFirst()
                .orElseThrow()
                .replaceAll(" .*", "");
    }

    @Test
    void publishesReadsComparesRollsBackAndDeletesAConfiguration() throws Exception {
        done(cairnReading("a: 1\nb: 2\n", "config", "publish", "life.yaml", "--type", "yaml"));
        assertThat(done(cairn("config", "get", "life.yaml"))).isEqualTo("a: 1\nb: 2\n");
        Path file = Files.writeString(folder.resolve("life.yaml"), "a: 2\nb: 2\n");

        Answer differs = cairn("config", "diff", "life.yaml", "--file", file.toString());
        assertThat(differs.status()).isOne();
        assertThat(differs.out()).contains("-a: 1\n+a: 2\n");
        done(cairn("config", "publish", "life.yaml", "-f", file.toString()));
        assertThat(done(cairn("config", "diff", "life.yaml", "--file", file.toString())))
                .isEmpty();

        String history = done(cairn("config", "history", "life.yaml"));
        assertThat(history).contains("NID", "insert", "update");
        String first = idOf(history, "insert");
        String second = idOf(history, "update");
        assertThat(done(cairn("config", "diff", "life.yaml", "--from", first))).contains("-a: 1", "+a: 2");
        assertThat(done(cairn("config", "history", "life.yaml", "--nid", first)))
                .isEqualTo("a: 1\nb: 2\n");
        done(cairn("config", "rollback", "life.yaml", second));
        assertThat(done(cairn("config", "get", "life.yaml"))).isEqualTo("a: 1\nb: 2\n");

        done(cairn("config", "delete", "life.yaml"));
        assertThat(cairn("config", "get", "life.yaml")).satisfies(gone -> {
            assertThat(gone.status()).isOne();
            assertThat(gone.err()).startsWith("cairn: ").contains("Config not exist");
        });
    }

    @Test
    void refusesAStaleDigest() {
        done(cairnReading("a: 1", "config", "publish", "cas.yaml"));

        Answer stale = cairnReading("a: 2", "config", "publish", "cas.yaml", "--expect-md5", "f".repeat(32));

        assertThat(stale.status()).isOne();
        assertThat(stale.err()).startsWith("cairn: ");
        assertThat(done(cairn("config", "get", "cas.yaml"))).isEqualTo("a: 1");
    }

    @Test
    void listsSearchesExportsAndImportsConfigurations() {
        done(cairn("namespace", "create", "from", "Where they are"));
        done(cairn("namespace", "create", "to"));
        assertThat(done(cairn("namespace", "list"))).contains("Where they are", "to");
        done(cairnReading("needle", "config", "publish", "x1", "-n", "from"));
        done(cairnReading("hay", "config", "publish", "x2", "-n", "from"));
        assertThat(done(cairn("config", "list", "x*", "-n", "from"))).contains("x1", "x2");
        assertThat(done(cairn("config", "search", "needle", "-n", "from")))
                .contains("x1")
                .doesNotContain("x2");
        String archive = folder.resolve("all.zip").toString();
        done(cairn("config", "export", archive, "-n", "from"));

        assertThat(done(cairn("config", "import", archive, "-n", "to", "--dry-run")))
                .contains("CREATE");
        assertThat(done(cairn("config", "import", archive, "-n", "to"))).startsWith("Stored 2");
        assertThat(done(cairn("-n", "to", "config", "get", "x1"))).isEqualTo("needle");
        assertThat(done(cairn("config", "import", archive, "-n", "to")))
                .as("the same contents again")
                .startsWith("Stored 0, left out 2");
        done(cairnReading("changed", "config", "publish", "x2", "-n", "to"));
        assertThat(cairn("config", "import", archive, "-n", "to").status()).isOne();

        done(cairn("namespace", "delete", "to"));
    }

    @Test
    void anImportListsSkippedFilesAndExplainsAnInvalidArchive() throws Exception {
        done(cairn("namespace", "create", "imported"));
        String mixed = zip("mixed.zip", "G/a.yml", "top.txt", "G/.DS_Store");
        String left = "top.txt (not named <group>/<dataId>)";
        assertThat(done(cairn("config", "import", mixed, "-n", "imported", "--dry-run")))
                .contains("CREATE", "not imported: ", left);
        assertThat(done(cairn("config", "import", mixed, "-n", "imported")))
                .startsWith("Stored 1, left out 0; not imported: ")
                .contains(left, "G/.DS_Store (a file of an operating system or a tool)");

        Answer nested = cairn("config", "import", zip("nested.zip", "exp/G/a.yml"), "-n", "imported");
        assertThat(nested.status()).isOne();
        assertThat(nested.err())
                .contains("There is no configuration in the archive, but 'exp/G/a.yml' (not named <group>/<dataId>)");
        assertThat(cairn("config", "import", folder.toString(), "-n", "imported")
                        .err())
                .contains(folder + ": a folder (expected: a file)");
        done(cairn("namespace", "delete", "imported"));
    }

    private String zip(String name, String... entries) throws IOException {
        Path file = folder.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (String entry : entries) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write("a: 1".getBytes(StandardCharsets.UTF_8));
            }
        }
        return file.toString();
    }

    @Test
    void watchPrintsEachContent() {
        done(cairnReading("one", "config", "publish", "watched"));
        CompletableFuture<Answer> watch =
                CompletableFuture.supplyAsync(() -> cairn("config", "watch", "watched", "--count", "2", "--json"));
        // Each publish changes the content, whichever version the watch saw first.
        AtomicInteger version = new AtomicInteger();
        Awaitility.await().pollInterval(1, TimeUnit.SECONDS).until(() -> {
            done(cairnReading("version " + version.incrementAndGet(), "config", "publish", "watched"));
            return watch.isDone();
        });

        assertThat(watch).succeedsWithin(PATIENCE).satisfies(answer -> {
            assertThat(done(answer).lines()).hasSize(2);
        });
    }

    @Test
    void publishesPreviewsAndRemovesReleasesToSomeClients() {
        String[] canary = {"staged.yaml", "--name", "canary", "--labels", "zone = a"};
        done(cairnReading("a: 1", "config", "publish", "staged.yaml"));

        Answer preview = cairn(with(new String[] {"gray", "preview"}, canary));
        assertThat(done(preview)).contains("ADDRESS", "GETS IT");
        assertThat(preview.err()).contains("0 of 0 clients would get the release");
        assertThat(done(cairnReading("a: 2", with(new String[] {"gray", "publish"}, canary))))
                .isEqualTo("Published DEFAULT_GROUP/staged.yaml as release canary\n");
        assertThat(done(cairn("gray", "list", "staged.yaml"))).contains("canary", "\"type\":\"label\"", "zone = a");
        assertThat(done(cairn("config", "get", "staged.yaml"))).contains("a: 1");
        assertThat(done(cairn("gray", "remove", "staged.yaml", "--name", "canary")))
                .isEqualTo("Removed release canary of DEFAULT_GROUP/staged.yaml\n");
        assertThat(done(cairn("gray", "list", "staged.yaml"))).doesNotContain("canary");

        assertThat(notDone(cairn("gray", "preview", "staged.yaml", "--name", "x", "--labels", "zone in (a")))
                .contains("grayRuleExp: column 11: found the end (expected: ))");
        assertThat(notDone(cairn("gray", "preview", "staged.yaml", "--name", "x", "--percent", "200")))
                .contains("expected: a percentage from 0.01 to 100");
    }

    @Test
    void registersListsAndDeregistersInstances() {
        done(cairn(
                "service", "register", "orders", "--ip", "10.0.0.5", "--port", "80", "--persistent", "-m", "zone=a"));
        assertThat(done(cairn("service", "list"))).contains("orders");
        assertThat(done(cairn("service", "instances", "orders"))).contains("10.0.0.5:80", "zone");
        assertThat(done(cairn("service", "watch", "orders", "--count", "1"))).contains("10.0.0.5:80");
        assertThat(notDone(cairn("service", "drain", "orders", "--ip", "10.0.0.5", "--port", "80")))
                .contains("10.0.0.5:80 is the last one in service of DEFAULT_GROUP@@orders", "force=true");
        assertThat(done(cairn("service", "drain", "orders", "--ip", "10.0.0.5", "--port", "80", "--force")))
                .startsWith("Drained 10.0.0.5:80 of DEFAULT_GROUP/orders until ")
                .contains("0 subscribers have acknowledged that");
        assertThat(done(cairn("service", "drain", "orders", "--ip", "10.0.0.5", "--port", "80", "--end")))
                .startsWith("Ended the drain of 10.0.0.5:80");
        assertThat(done(cairn("service", "timeline", "orders")))
                .containsSubsequence(
                        "INSTANCE",
                        "drain ended",
                        "every subscriber has acknowledged the drain",
                        "0 of 0",
                        "drain begun");
        done(cairn("service", "deregister", "orders", "--ip", "10.0.0.5", "--port", "80", "--persistent"));
        assertThat(done(cairn("service", "instances", "orders"))).doesNotContain("10.0.0.5");

        done(cairn("service", "register", "brief", "--ip", "10.0.0.6", "--port", "80", "--for", "1"));
        assertThat(done(cairn("service", "instances", "brief"))).doesNotContain("10.0.0.6");
    }

    @Test
    void explainsWhyAnInstanceWasNotDeregistered() {
        String[] stored = {"deregister", "kinds", "--ip", "10.0.0.7", "--port", "80"};
        String[] beating = {"deregister", "beating", "--ip", "10.0.0.8", "--port", "80"};
        assertThat(notDone(service(stored))).contains("DEFAULT_GROUP@@kinds is not found");
        done(service("register", "kinds", "--ip", "10.0.0.7", "--port", "80", "--persistent"));
        new Api("http://" + server.address() + "/nacos", Duration.ofSeconds(10), null)
                .post(
                        "/v3/client/ns/instance",
                        Api.parameters("serviceName", "beating", "ip", "10.0.0.8", "port", "80"));

        assertThat(notDone(service(stored)))
                .isEqualTo(
                        "cairn: 10.0.0.7:80 of DEFAULT_GROUP/kinds is persistent (with --persistent it is deregistered)\n");
        assertThat(notDone(service(with(beating, "--persistent")))).contains("without --persistent");
        assertThat(notDone(service("deregister", "kinds", "--ip", "10.0.0.7", "--port", "81", "--persistent")))
                .isEqualTo("cairn: no instance 10.0.0.7:81 is registered for DEFAULT_GROUP/kinds\n");
        assertThat(notDone(service(with(stored, "--persistent", "--cluster", "b"))))
                .contains("in that cluster (there is one with --cluster DEFAULT)");
        assertThat(done(service("instances", "kinds"))).contains("10.0.0.7:80");
        assertThat(done(service(with(stored, "--persistent")))).startsWith("Deregistered 10.0.0.7:80");
        assertThat(done(service(beating))).startsWith("Deregistered 10.0.0.8:80");
        assertThat(notDone(service(with(stored, "--persistent")))).contains("no instance 10.0.0.7:80");
    }

    /** A server on which another client keeps the instance registered. */
    @Test
    void doesNotReportAnInstanceAsDeregisteredThatItsClientKeeps() throws Exception {
        HttpServer keeping = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String kept = "[{\"ip\":\"10.0.0.9\",\"port\":80,\"clusterName\":\"DEFAULT\",\"ephemeral\":true}]";
        AtomicInteger deletions = new AtomicInteger();
        keeping.createContext("/", exchange -> {
            boolean isDeletion = exchange.getRequestMethod().equals("DELETE");
            deletions.addAndGet(isDeletion ? 1 : 0);
            byte[] answer =
                    ("{\"code\":0,\"data\":" + (isDeletion ? "\"ok\"" : kept) + '}').getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        keeping.start();
        try {
            Answer answer = run(
                    Map.of("CAIRN_SERVER", "127.0.0.1:" + keeping.getAddress().getPort()),
                    "",
                    "service",
                    "deregister",
                    "kept",
                    "--ip",
                    "10.0.0.9",
                    "--port",
                    "80");

            assertThat(notDone(answer)).contains("10.0.0.9:80 is still an instance of DEFAULT_GROUP/kept");
            assertThat(deletions).hasValue(1);
        } finally {
            keeping.stop(0);
        }
    }

    private static Answer service(String... words) {
        return cairn(with(new String[] {"service"}, words));
    }

    private static String[] with(String[] words, String... more) {
        return Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new);
    }

    /** The error message of the command. */
    private static String notDone(Answer answer) {
        assertThat(answer.status()).as(answer.toString()).isOne();
        assertThat(answer.out()).isEmpty();
        return answer.err();
    }

    @Test
    void everyCommandPrintsJson() {
        done(cairnReading("{}", "config", "publish", "as.json"));

        assertThat(Json.items(Json.read(done(cairn("config", "list", "as.json", "--json")))))
                .hasSize(1);
        assertThat(Json.text(Json.read(done(cairn("config", "get", "as.json", "--json"))), "content"))
                .isEqualTo("{}");
        Answer missing = cairn("config", "get", "nothing", "--json");
        assertThat(missing.status()).isOne();
        assertThat(Json.text(Json.read(missing.err()), "error")).isNotEmpty();
        assertThat(Json.items(Json.read(done(cairn("audit", "--json", "--limit", "5")))))
                .isNotEmpty();
        assertThat(Json.items(Json.read(done(cairn("doctor", "--json")))))
                .extracting(finding -> Json.text(finding, "about"))
                .contains("server", "clock", "reads", "database", "grpc", "login");
    }

    @Test
    void aBackupIsReadableByItsOwnerOnlyAndSurvivesAFailedDownload() throws Exception {
        done(cairnReading("a", "config", "publish", "exported"));
        for (String[] command : List.of(new String[] {"backup"}, new String[] {"config", "export"})) {
            Path file = folder.resolve(command[0] + ".zip");
            List<String> words = new ArrayList<>(List.of(command));
            words.add(file.toString());
            done(cairn(words.toArray(String[]::new)));
            byte[] before = Files.readAllBytes(file);
            if (Files.getFileStore(file).supportsFileAttributeView("posix")) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
            }

            try (ServerSocket breaking = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                CompletableFuture<Void> served = CompletableFuture.runAsync(() -> breakOff(breaking));
                Answer answer = run(
                        Map.of("CAIRN_SERVER", "127.0.0.1:" + breaking.getLocalPort()),
                        "",
                        words.toArray(String[]::new));
                assertThat(answer.status()).as(answer.toString()).isOne();
                served.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }

            assertThat(Files.readAllBytes(file)).isEqualTo(before);
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("backup.zip", "config.zip");
        }
    }

    /** Answers one request and closes before the announced length is sent. */
    private static void breakOff(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String line = in.readLine();
            while (line != null && !line.isEmpty()) {
                line = in.readLine();
            }
            socket.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this"
                            .getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void restoresABackupIntoAnotherServer() {
        done(cairnReading("kept", "config", "publish", "saved"));
        String archive = folder.resolve("backup.zip").toString();
        assertThat(done(cairn("backup", archive))).startsWith("Wrote ");

        try (CairnServer other = CairnServer.builder().temporary().start()) {
            Map<String, String> there = Map.of("CAIRN_SERVER", other.address());
            assertThat(done(run(there, "", "restore", archive, "--dry-run"))).startsWith("Would restore");
            assertThat(run(there, "", "config", "get", "saved").status()).isOne();
            assertThat(done(run(there, "", "restore", archive)))
                    .startsWith("Restored")
                    .contains(" configs")
                    .contains(" of the backup made at 20");
            assertThat(done(run(there, "", "config", "get", "saved"))).isEqualTo("kept");
            Answer again = run(there, "", "restore", archive);
            assertThat(again.status()).isOne();
            assertThat(again.err()).contains("The server is not empty");
        }
    }

    @Test
    void refusesToPublishAFileThatIsNotText() throws Exception {
        Path file = Files.write(folder.resolve("latin1.yaml"), new byte[] {'a', ':', ' ', (byte) 0xe4});

        Answer refused = cairn("config", "publish", "latin1.yaml", "--file", file.toString());

        assertThat(refused.status()).isOne();
        assertThat(refused.err()).isEqualTo("cairn: " + file + " is no text in UTF-8\n");
    }

    @Test
    void aSingleServerHasNoKeyForOtherNodes() {
        assertThat(notDone(cairn("cluster", "rotate-key")))
                .contains("shares its database with no other node")
                .contains("spring.sql.init.platform=mysql");
    }

    @Test
    void aSingleServerListsItselfAndExplainsHowToMakeACluster() {
        Answer nodes = cairn("nodes");

        assertThat(done(nodes).lines().toList()).hasSize(2);
        assertThat(nodes.out())
                .contains(
                        "NODE",
                        "READY",
                        server.address().substring(server.address().lastIndexOf(':')));
        assertThat(nodes.err()).contains("single server", "conf/cluster.conf");
        assertThat(done(cairn("--json", "nodes"))).contains("\"cluster\":false", "\"answered\":true");
    }

    @Test
    void wrongUsageIsExplainedWithTheHelp() {
        assertThat(cairn().status()).isEqualTo(2);
        assertThat(cairn("config").status()).isEqualTo(2);
        assertThat(cairn("config", "frobnicate").status()).isEqualTo(2);
        assertThat(cairn("config", "diff", "a").status()).isEqualTo(2);
        assertThat(cairn("--password", "secret", "config", "list").status()).isEqualTo(2);
        assertThat(cairn("config", "get").err())
                .contains("DATA_ID", "cairn config get --help")
                .hasLineCount(1);
        assertThat(cairn("config").err()).contains("rollback");
        assertThat(cairn("token", "create", "ci", "--scope", "r public:*:config/*")
                        .err())
                .contains("--ttl")
                .hasLineCount(1);
        assertThat(cairn("--help")).satisfies(help -> {
            assertThat(help.status()).isZero();
            assertThat(help.out()).contains("config", "doctor", "--server", "Exit status");
        });
    }

    @Test
    void reportsAnUnreachableServerInOneLine() {
        Answer answer = run(Map.of(), "", "config", "list", "--server", "127.0.0.1:1");

        assertThat(answer.status()).isOne();
        assertThat(answer.err())
                .startsWith("cairn: no server answers at http://127.0.0.1:1/nacos")
                .hasLineCount(1);
        assertThat(run(Map.of(), "", "doctor", "--server", "127.0.0.1:1").status())
                .isOne();
    }

    @Test
    void doctorReportsNoProblems() {
        String findings = done(cairn("doctor"));

        assertThat(findings).contains("ok").contains("grpc").doesNotContain("fail");
    }

    @Test
    void doctorNamesRowsThatTheServerLeavesOut() throws Exception {
        CairnServer.builder().home(folder).setting("server.port", "0").start().close();
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("data/cairn.db"));
                Statement statement = database.createStatement()) {
            statement.execute("INSERT INTO config_info (data_id, group_id, content, gmt_create, gmt_modified)"
                    + " VALUES ('a', ' ', 'x', 0, 0)");
        }
        try (CairnServer restarted =
                CairnServer.builder().home(folder).setting("server.port", "0").start()) {
            Answer answer = run(Map.of("CAIRN_SERVER", restarted.address()), "", "doctor");

            assertThat(done(answer))
                    .contains("warn")
                    .contains("table config_info has 1 row that is left out: id 1: group_id: ' ' (expected: not blank)")
                    .contains("correct or delete these rows");
        }
    }

    @Test
    void completionContainsTheCommands() {
        assertThat(done(cairn("completion", "bash"))).contains("rollback").contains("complete -F");
        assertThat(done(cairn("completion", "zsh"))).contains("bashcompinit");
    }
}

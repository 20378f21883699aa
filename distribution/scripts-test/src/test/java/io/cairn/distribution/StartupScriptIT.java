package io.cairn.distribution;

import static io.cairn.testing.Patience.PATIENCE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.distribution.Installation.Answer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each test has an installation of its own, so they run side by side. */
@DisabledOnOs(OS.WINDOWS)
@Execution(ExecutionMode.CONCURRENT)
final class StartupScriptIT {
    private static final String READINESS = "/v1/console/health/readiness";

    @TempDir
    Path folder;

    private Installation cairn;

    @BeforeEach
    void install() throws Exception {
        cairn = Installation.create(folder, "a folder's name"); // with what shells stumble over
    }

    @AfterEach
    void remove() throws Exception {
        cairn.close();
    }

    @Test
    void returnsOnceTheServerIsReadyAndShutdownStopsIt() throws Exception {
        Files.writeString(cairn.home().resolve("conf/cluster.conf"), "# no members yet\n\n");
        cairn.environment("CAIRN_OPTS", ""); // the flags as they are shipped
        Answer started = cairn.startup();

        assertThat(started.status()).as(started.text()).isZero();
        assertThat(cairn.get("/nacos" + READINESS).status()).isEqualTo(200);
        assertThat(started.text())
                .startsWith(
                        "Cairn is ready (pid " + cairn.server().orElseThrow().pid())
                .contains("http://127.0.0.1:" + cairn.ports().http() + "/nacos")
                .contains("127.0.0.1:" + cairn.ports().grpc())
                .contains(cairn.home() + "/bin/shutdown.sh");
        try (Stream<Path> files = Files.list(cairn.home().resolve("data"))) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".status"));
        }

        Answer again = cairn.startup();
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.text())
                .isEqualTo("Cairn did not start: it is already running (pid "
                        + cairn.server().orElseThrow().pid() + "); " + cairn.home() + "/bin/shutdown.sh stops it\n");

        useCommandLine();

        ProcessHandle server = cairn.server().orElseThrow();
        Answer stopped = cairn.shutdown();
        assertThat(stopped).isEqualTo(new Answer(0, "Cairn stopped (pid " + server.pid() + ")\n"));
        assertThat(cairn.ports().isFree()).isTrue();
        assertThat(cairn.server()).isEmpty();
        assertThat(cairn.shutdown()).isEqualTo(new Answer(0, "Cairn is not running in " + cairn.home() + "\n"));
    }

    private void useCommandLine() throws Exception {
        Path command = cairn.home().resolve("bin/cairn");
        cairn.environment("CAIRN_SERVER", "127.0.0.1:" + cairn.ports().http());
        Path content = Files.writeString(folder.resolve("content"), "a: 1\n");

        assertThat(cairn.run(command, "config", "publish", "a.yaml", "-f", content.toString()))
                .isEqualTo(new Answer(0, "Published DEFAULT_GROUP/a.yaml\n"));
        assertThat(cairn.run(command, "config", "get", "a.yaml")).isEqualTo(new Answer(0, "a: 1\n"));
        Answer findings = cairn.run(command, "doctor");
        assertThat(findings.status()).as(findings.text()).isZero();
        assertThat(findings.text())
                .contains("grpc      port " + cairn.ports().grpc() + " answers")
                .contains("jdk", "settings", "disk");
        assertThat(cairn.run(command, "config", "get", "nothing").status()).isEqualTo(1);
        assertThat(cairn.run(command, "frobnicate").status()).isEqualTo(2);
    }

    @Test
    void printsTheFileOfTheFirstPassword() throws Exception {
        cairn.setting("nacos.core.auth.enabled=true");

        Answer started = cairn.startup();

        assertThat(started.status()).as(started.text()).isZero();
        Path password = cairn.home().resolve("data/auth/initial-admin-password");
        assertThat(started.text()).contains("Login the first user's password is in " + password);
        assertThat(password).isNotEmptyFile();
    }

    @Test
    @Tag("full")
    void anAppendedLineWinsAndAnArgumentWinsOverIt() throws Exception {
        cairn.setting("server.servlet.contextPath=/other");
        cairn.setting("server.servlet.contextPath=/another");
        cairn.setting("server.port=1");

        Answer started = cairn.startup(
                "-m",
                "standalone",
                "-p",
                "embedded",
                "-s",
                "nacos-server",
                "--server.port=" + cairn.ports().http());

        assertThat(started.status()).as(started.text()).isZero();
        assertThat(cairn.get("/another" + READINESS).status()).isEqualTo(200);
    }

    /** Nobody who takes away the # of a line that shows a default may find the server not starting. */
    @Test
    @Tag("full")
    void acceptsEveryDefaultOfTheSettingsFile() throws Exception {
        Path settings = cairn.home().resolve("conf/application.properties");
        for (String line : Files.readAllLines(settings)) {
            if (line.matches("#[a-z][\\w.-]+=.+") && !line.startsWith("#server.port=")) {
                cairn.setting(line.substring(1));
            }
        }
        Answer started = cairn.startup();

        assertThat(started.status()).as(started.text()).isZero();
        assertThat(cairn.get("/nacos" + READINESS).status()).isEqualTo(200);
        assertThat(cairn.get("/actuator/health").status()).isEqualTo(200);
    }

    @Test
    @Tag("full")
    void acknowledgedPublishesSurviveAKill() throws Exception {
        assertThat(cairn.startup("-m", "standalone").status()).isZero();
        assertThat(cairn.post("/nacos/v1/cs/configs?dataId=a&group=b&content=kept")
                        .status())
                .isEqualTo(200);
        ProcessHandle server = cairn.server().orElseThrow();
        server.destroyForcibly();
        server.onExit().get(PATIENCE.toSeconds(), SECONDS);

        assertThat(cairn.shutdown().text()).startsWith("Cairn is not running");
        Answer started = cairn.startup("-m", "standalone");

        assertThat(started.status()).as(started.text()).isZero();
        assertThat(cairn.get("/nacos/v1/cs/configs?dataId=a&group=b").text()).isEqualTo("kept");
    }

    @Test
    void refusesASecondServerOnTheSameData() throws Exception {
        assertThat(cairn.startup().status()).isZero();
        try (Installation other = Installation.create(folder, "other")) {
            Path data = cairn.home().resolve("data");
            Answer refused = other.startup("--cairn.data-dir=" + data);

            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.text().lines().toList().get(0))
                    .startsWith("Cairn did not start: ")
                    .contains(data.toString())
                    .contains(Long.toString(cairn.server().orElseThrow().pid()));
            assertThat(refused.text()).endsWith("Log: " + other.home() + "/logs/start.out\n");
            assertThat(other.server()).isEmpty();
        }
        assertThat(cairn.get("/nacos" + READINESS).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reportsAPortInUseInOneLine(boolean http) throws Exception {
        int port = http ? cairn.ports().http() : cairn.ports().grpc();
        try (var taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));

            Answer refused = cairn.startup();

            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.text().lines().toList().get(0))
                    .startsWith("Cairn did not start: ")
                    .contains(Integer.toString(port));
        }
        assertThat(cairn.shutdown().text()).startsWith("Cairn is not running");
    }

    @Test
    void reportsOptionsThatTheJvmRejects() throws Exception {
        Answer refused = cairn.environment("JAVA_OPTS", "-XX:+NoSuchFlag").startup();

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.text())
                .startsWith("Cairn did not start: its process ended with status 1\n")
                .contains("Unrecognized VM option 'NoSuchFlag'");
    }

    @Test
    void reportsAFolderWithoutJdk() throws Exception {
        Answer refused = cairn.environment("CAIRN_JAVA_HOME", folder.toString()).startup();

        assertThat(refused)
                .isEqualTo(new Answer(
                        1,
                        "Cairn did not start: CAIRN_JAVA_HOME: " + folder
                                + " is no JDK (expected: a JDK 17 or newer)\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "-m cluster,,",
        "-c 192.0.2.1:8848\\,192.0.2.2:8848,,",
        "'',conf/cluster.conf,192.0.2.1:8848 # the first",
        "'',conf/application.properties, nacos.core.member.lookup.type = address-server",
        "'',conf/application.properties,nacos.standalone=false"
    })
    void clusterSettingsStartClusterModeWhichNeedsMySql(String options, String file, String line) throws Exception {
        if (file != null) {
            Path path = cairn.home().resolve(file);
            Files.writeString(path, (Files.exists(path) ? Files.readString(path) : "") + "\n# members\n" + line + "\n");
        }
        Answer refused = cairn.startup(options.isEmpty() ? new String[0] : options.split(" "));

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.text()).startsWith("Cairn did not start: Cluster mode needs a database server");
        assertThat(refused.text().lines()).as("the cause, and where the log is").hasSize(2);
    }

    @Test
    void standaloneModeIgnoresMemberLists() throws Exception {
        Files.writeString(cairn.home().resolve("conf/cluster.conf"), "192.0.2.1:8848\n");
        Answer started = cairn.startup("-m", "standalone", "-c", "192.0.2.1:8848");

        assertThat(started.status()).as(started.text()).isZero();
    }

    @Test
    void reportsAMissingJdkFolder() throws Exception {
        String absent = folder.resolve("absent").toString();

        Answer refused = cairn.environment("CAIRN_JAVA_HOME", absent).startup();

        assertThat(refused)
                .isEqualTo(new Answer(
                        1,
                        "Cairn did not start: CAIRN_JAVA_HOME: " + absent
                                + " is no JDK (expected: a JDK 17 or newer)\n"));
    }

    @Test
    void reportsAFileInPlaceOfTheDataFolder() throws Exception {
        Path file = Files.writeString(cairn.home().resolve("data"), "no folder");

        Answer refused = cairn.startup();

        assertThat(refused).isEqualTo(new Answer(1, "Cairn did not start: " + file + " is not a folder; remove it\n"));
    }

    @Test
    void aContainerIsInClusterModeByItsEnvironment() throws Exception {
        Answer refused = cairn.environment("MODE", "cluster").startup("--foreground");

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.text()).contains("Cluster mode needs a database server");
    }

    /** In place of Java a program that prints its arguments. */
    private List<String> javaArguments(String... options) throws Exception {
        Path jdk = Files.createDirectories(folder.resolve("jdk/bin")).getParent();
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        Installation.script(jdk.resolve("bin/java"), "printf '%s\\n' \"$@\"");
        Answer printed = cairn.environment("CAIRN_JAVA_HOME", jdk.toString()).startup(options);
        assertThat(printed.status()).as(printed.text()).isZero();
        return printed.text().lines().toList();
    }

    @Test
    void aContainerTakesTheVariablesOfTheImageOfNacos() throws Exception {
        cairn.environment("NACOS_SERVERS", " nacos1:8848  nacos2:8849\nnacos3 ")
                .environment("PREFER_HOST_MODE", "hostname")
                .environment("NACOS_APPLICATION_PORT", "18848")
                .environment("NACOS_SERVER_IP", "192.0.2.7")
                .environment("PREFERRED_NETWORKS", "192.0.2")
                .environment("IGNORED_INTERFACES", "docker0,veth.*")
                .environment("USE_ONLY_SITE_INTERFACES", "true")
                .environment("NACOS_AUTH_TOKEN_EXPIRE_SECONDS", "600")
                .environment("FUNCTION_MODE", "naming");

        assertThat(javaArguments("--foreground"))
                .contains(
                        "-Dnacos.standalone=false",
                        "-Dnacos.functionMode=naming",
                        "--nacos.member.list=nacos1:8848,nacos2:8849,nacos3",
                        "--nacos.inetutils.prefer-hostname-over-ip=true",
                        "--nacos.inetutils.ip-address=192.0.2.7",
                        "--nacos.inetutils.preferred-networks=192.0.2",
                        "--nacos.inetutils.ignored-interfaces=docker0,veth.*",
                        "--nacos.inetutils.use-only-site-local-interfaces=true",
                        "--nacos.core.auth.plugin.nacos.token.expire.seconds=600",
                        "--server.port=18848");
        assertThat(javaArguments("--foreground", "-c", "192.0.2.8:8848", "--server.port=28848"))
                .as("arguments count before variables")
                .contains("--nacos.member.list=192.0.2.8:8848", "--server.port=28848")
                .doesNotContain("--server.port=18848");
        cairn.environment("MODE", "standalone");
        assertThat(javaArguments("--foreground"))
                .contains("-Dnacos.standalone=true")
                .noneMatch(argument -> argument.startsWith("--nacos.member.list"));
    }

    @Test
    void aContainerTakesTheMembersWithCommas() throws Exception {
        cairn.environment("MEMBER_LIST", "192.0.2.1:8848?raft_port=8807,192.0.2.2:8848")
                .environment("PREFER_HOST_MODE", "ip");

        assertThat(javaArguments("--foreground"))
                .contains(
                        "-Dnacos.standalone=false", "--nacos.member.list=192.0.2.1:8848?raft_port=8807,192.0.2.2:8848")
                .noneMatch(argument -> argument.contains("inetutils"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--nope", "-x", "word", "-m", "-m some", "-f some", "-p mysql"})
    void wrongUsageIsOneLineAndStatusTwo(String options) throws Exception {
        Answer refused = cairn.startup(options.split(" "));

        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.text()).startsWith("startup.sh: ");
        assertThat(refused.text().lines()).hasSize(1);
    }

    @Test
    void helpNamesEveryOption() throws Exception {
        Answer help = cairn.startup("--help");

        assertThat(help.status()).isZero();
        assertThat(help.text())
                .contains("-m ", "-p ", "-f ", "-c ", "-s ", "--foreground", "--dry-run", "CAIRN_JAVA_HOME");
    }

    @Test
    void aDryRunPrintsTheCommandAndStartsNothing() throws Exception {
        Answer embedded = cairn.startup("--dry-run");

        assertThat(embedded.text()).contains("-- The database is ready as it is: a start would run nothing.");
        assertThat(embedded.status()).isZero();

        Answer away = cairn.startup(
                "--dry-run", "--spring.sql.init.platform=mysql", "--db.url.0=jdbc:mysql://127.0.0.1:1/nacos");
        assertThat(away.text()).contains("Database jdbc:mysql://127.0.0.1:1/nacos cannot be used: no connection");
        assertThat(away.status()).isEqualTo(1);
    }

    @Test
    @Tag("full")
    void inTheForegroundTheScriptIsTheServer() throws Exception {
        Path link =
                Files.createSymbolicLink(folder.resolve("link"), cairn.home().resolve("bin/startup.sh"));
        Path output = folder.resolve("foreground.out");
        // As the image of Nacos has them, for containers.
        cairn.environment("CAIRN_MEMORY", "")
                .environment("JVM_XMS", "80m")
                .environment("JVM_XMX", "300m")
                .environment("MODE", "standalone")
                .environment(
                        "NACOS_APPLICATION_PORT", Integer.toString(cairn.ports().http()));
        Process process = cairn.builder(link, "--foreground", "-f", "config")
                .redirectOutput(output.toFile())
                .start();
        try {
            await().atMost(PATIENCE.multipliedBy(3))
                    .until(() -> !process.isAlive() || cairn.server().isPresent());
            assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
            assertThat(cairn.server().orElseThrow().pid()).isEqualTo(process.pid());
            assertThat(cairn.get("/nacos" + READINESS).status()).isEqualTo(200);
            assertThat(Installation.commandLine(process.toHandle()))
                    .contains(
                            "-Xms80m",
                            "-Xmx300m",
                            "-Dio.netty.native.workdir=" + cairn.home().resolve("data/native"),
                            "--server.port=" + cairn.ports().http());
        } finally {
            process.destroy(); // SIGTERM
        }
        assertThat(process.waitFor(PATIENCE.multipliedBy(2).toSeconds(), SECONDS))
                .isTrue();
        assertThat(process.exitValue()).isIn(0, 143);
        assertThat(cairn.home().resolve("data/cairn.pid")).doesNotExist();
    }

    @Test
    @Tag("full")
    void aSizeAloneIsTheLargestHeapAndFewOpenFilesAreWarnedOf() throws Exception {
        cairn.environment("CAIRN_MEMORY", "300m");
        Path limited = Installation.script(
                cairn.home().resolve("limited.sh"), "ulimit -n 300\nexec \"$(dirname \"$0\")/bin/startup.sh\"");

        Answer started = cairn.run(limited);
        assertThat(started.status()).as(started.text()).isZero();
        assertThat(started.text())
                .contains(
                        "this server may open 300 files (ulimit -Hn), and each connection takes one; allow 65536 or more");
        assertThat(Installation.commandLine(cairn.server().orElseThrow())).contains("-Xmx300m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"512", "lots", "-Xmx1g much", "0m"})
    void memoryThatIsNeitherASizeNorFlagsIsRefused(String memory) throws Exception {
        Answer refused = cairn.environment("CAIRN_MEMORY", memory).startup();
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.text())
                .contains("CAIRN_MEMORY: ")
                .contains("(expected: a size such as 512m, or JVM flags such as -Xms512m -Xmx4g)");
        assertThat(cairn.server()).isEmpty();
    }

    @Test
    @Tag("full")
    void theFirstStartRecordsAnArchiveThatLaterOnesUse() throws Exception {
        // The lowest priority would get no time beside busy tests, so it is noted and not applied.
        Path priority = folder.resolve("priority");
        cairn.program("nice", "echo \"$1 $2\" >'" + priority + "'; shift 2; exec \"$@\"");
        cairn.environment("CAIRN_AOT", "on");
        assertThat(cairn.startup().status()).isZero();
        Path archives = cairn.home().resolve("data/aot");
        await().atMost(PATIENCE.multipliedBy(10)).until(() -> Files.exists(archives) && archive(archives) != null);
        Path archive = archive(archives);
        assertThat(priority).hasContent("-n 19");
        assertThat(cairn.shutdown().status()).isZero();

        assertThat(cairn.startup().status()).isZero();
        assertThat(Installation.commandLine(cairn.server().orElseThrow()))
                .anyMatch(argument -> argument.startsWith("-XX:") && argument.endsWith("=" + archive));
        assertThat(cairn.get("/nacos" + READINESS).status()).isEqualTo(200);
        assertThat(Files.readString(cairn.home().resolve("logs/start.out")).toLowerCase(Locale.ROOT))
                .doesNotContain("archive", "[cds", "[aot");
        assertThat(cairn.shutdown().status()).isZero();

        Files.delete(archive);
        Files.writeString(archive, "not an archive");
        Answer started = cairn.startup();
        assertThat(started.status()).as(started.text()).isZero();
    }

    private static Path archive(Path archives) throws Exception {
        try (Stream<Path> files = Files.list(archives)) {
            return files.filter(file -> file.getFileName().toString().startsWith("cairn-java"))
                    .findAny()
                    .orElse(null);
        }
    }
}

package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.START;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.server.nodes.DatabaseAccess;
import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.testing.ReservedPorts;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Nacos server alone, in its own JVM, with its embedded database. Not thread-safe. */
final class NacosProcess implements AutoCloseable {

    enum Release {
        /** With a MariaDB, because it passes no configurations on from its embedded database. Without users, which its console has. */
        NACOS_1_3("nacos-server-1", NacosServer1.class, "/v1/ns/instance/list", ""),
        NACOS_2_5("nacos-server-2", NacosServer2.class, "/v1/ns/instance/list", "/v1/auth/users/admin"),
        NACOS_3_1("nacos-server-3", NacosServer3.class, "/v3/client/ns/instance/list", "/v3/auth/user/admin");

        private final String module;
        private final Class<?> main;
        private final String readiness;
        private final String administrator;

        Release(String module, Class<?> main, String readiness, String administrator) {
            this.module = module;
            this.main = main;
            this.readiness = readiness;
            this.administrator = administrator;
        }

        private String classPath() {
            Path file = Path.of("..", module, "target", "class-path");
            try {
                return Files.readString(file, UTF_8).strip();
            } catch (IOException e) {
                throw new IllegalStateException(
                        "no class path in " + file.toAbsolutePath()
                                + " (build it with: ./mvnw -Pfull -pl server/compatibility/" + module + " package)",
                        e);
            }
        }
    }

    private static final long POLL_MILLIS = 50;
    /** A server that waits for its users answers these too. */
    private static final Set<Integer> SERVES = Set.of(200, 401, 403);

    private static final String OWN_SCHEMA = "nacos";

    private static final String SECRET = "VGhpc0lzTXlDdXN0b21TZWNyZXRLZXkwMTIzNDU2Nzg5";

    private final Release release;
    private final Path home;
    private final boolean login;
    private final @Nullable DatabaseAccess database;
    private final int port;
    private final Thread killer;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Process process;
    private @Nullable DatabaseProcess ownDatabase;

    private NacosProcess(Release release, Path home, boolean login, @Nullable DatabaseAccess database, int port)
            throws IOException {
        this.release = release;
        this.home = home;
        this.login = login;
        this.database = database;
        this.port = port;
        process = launch();
        killer = new Thread(() -> process.destroyForcibly(), "nacos-process-killer");
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /** @param login whether every request needs a user */
    static NacosProcess start(Release release, Path home, boolean login) throws IOException, InterruptedException {
        if (release != Release.NACOS_1_3) {
            return start(release, home, login, null);
        }
        DatabaseProcess own = DatabaseProcess.runningWith(OWN_SCHEMA);
        try {
            NacosProcess nacos = start(release, home, login, own.access(OWN_SCHEMA));
            nacos.ownDatabase = own;
            return nacos;
        } catch (IOException | InterruptedException | RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /** Without a login, with its tables in that MariaDB instead of its embedded database. */
    static NacosProcess startOn(DatabaseAccess database, Release release, Path home)
            throws IOException, InterruptedException {
        return start(release, home, false, database);
    }

    private static NacosProcess start(Release release, Path home, boolean login, @Nullable DatabaseAccess database)
            throws IOException, InterruptedException {
        // Consensus at -1000, HTTP, gRPC of clients at +1000 and of servers at +1001.
        int port = ReservedPorts.apart(0, 1_000, 2_000, 2_001).first() + 1_000;
        NacosProcess nacos = new NacosProcess(release, home, login, database, port);
        nacos.awaitReady();
        return nacos;
    }

    private Process launch() throws IOException {
        Path conf = Files.createDirectories(home.resolve("conf"));
        Files.writeString(conf.resolve("application.properties"), "# All settings are system properties.\n", UTF_8);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        for (String opened : List.of("java.base/java.lang", "java.base/java.util", "java.base/java.io")) {
            command.add("--add-opens=" + opened + "=ALL-UNNAMED");
        }
        settings().forEach(setting -> command.add("-D" + setting));
        if (database != null) {
            database.arguments().forEach(argument -> command.add("-D" + argument.substring("--".length())));
            if (release == Release.NACOS_1_3) {
                command.addAll(List.of(
                        "-Dspring.datasource.platform=mysql",
                        "-Ddb.url.0=" + database.url() + "?characterEncoding=utf8",
                        "-Ddb.user=" + database.user(),
                        "-Ddb.password=" + database.password()));
            }
        }
        command.add("-cp");
        command.add(release.classPath() + File.pathSeparator + codeOf(release.main));
        command.add(release.main.getName());
        return new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    private List<String> settings() {
        return List.of(
                "nacos.standalone=true",
                "nacos.home=" + home,
                "spring.config.additional-location=file:" + home + "/conf/",
                "user.home=" + home,
                "nacos.deployment.type=server",
                "server.port=" + port,
                "nacos.server.main.port=" + port,
                "server.servlet.context-path=/nacos",
                "server.servlet.contextPath=/nacos",
                "nacos.server.ip=127.0.0.1",
                "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration,"
                        + "org.springframework.boot.autoconfigure.ldap.LdapAutoConfiguration",
                "nacos.core.auth.system.type=nacos",
                "nacos.core.auth.enabled=" + login,
                "nacos.core.auth.admin.enabled=" + login,
                "nacos.core.auth.console.enabled=" + login,
                "nacos.core.auth.caching.enabled=false",
                "nacos.core.auth.server.identity.key=test",
                "nacos.core.auth.server.identity.value=test",
                "nacos.core.auth.plugin.nacos.token.secret.key=" + SECRET,
                "server.tomcat.accesslog.enabled=false");
    }

    private static Path codeOf(Class<?> type) {
        return Path.of(URI.create(
                type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    private Path log() {
        return home.resolve("start.out");
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (!serves()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                kill();
                throw new IOException("Nacos did not start in " + home + "; it printed: " + output());
            }
            process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private boolean serves() throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://" + address() + "/nacos" + release.readiness + "?serviceName=readiness"))
                .timeout(START)
                .build();
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString(UTF_8));
            return SERVES.contains(response.statusCode());
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Gives the user nacos its first password. */
    void createAdministrator(String password) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://" + address() + "/nacos" + release.administrator + "?password=" + password))
                .timeout(START)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString(UTF_8));
        if (response.statusCode() != 200) {
            throw new IOException("status " + response.statusCode() + ": " + response.body());
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    String output() {
        try {
            return Files.readString(log(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SIGKILL; returns when the process has ended. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Kills it and starts it again with its database; returns when it serves. */
    void restart() throws IOException, InterruptedException {
        kill();
        process = launch();
        awaitReady();
    }

    /** SIGSTOP: connections stay open, without answers. */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        Signals.send(name, process.pid());
    }

    @Override
    public void close() {
        kill();
        Runtime.getRuntime().removeShutdownHook(killer);
        if (ownDatabase != null) {
            ownDatabase.close();
        }
    }
}

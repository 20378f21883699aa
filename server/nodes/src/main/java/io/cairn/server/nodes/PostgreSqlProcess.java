package io.cairn.server.nodes;

import static io.cairn.testing.Patience.PATIENCE;
import static io.cairn.testing.Patience.START;

import io.cairn.testing.ReservedPorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL server. It ends with this JVM. Users connect with any password. */
public final class PostgreSqlProcess implements DatabaseServer {

    /** A role without further rights, for the servers under test. */
    public static final String USER = "cairn";

    public static final String PASSWORD = "secret";

    private final Path folder;
    private final ReservedPorts port;
    private final Map<String, String> settings;
    private @Nullable EmbeddedPostgres server;

    private PostgreSqlProcess(Path folder, ReservedPorts port, Map<String, String> settings) {
        this.folder = folder;
        this.port = port;
        this.settings = settings;
    }

    /** The reason why no server can run here. */
    public static @Nullable String obstacle() {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return "the PostgreSQL server that the build brings runs on Linux x86-64, not on "
                    + System.getProperty("os.name") + ' ' + System.getProperty("os.arch");
        }
        return !System.getProperty("user.name").equals("root") || mayBeAnotherUser()
                ? null
                : "PostgreSQL does not run as root, and this machine forbids unshare -U: run the build as another user";
    }

    /** The library runs PostgreSQL in a user namespace where the user is root. */
    private static boolean mayBeAnotherUser() {
        try {
            Process attempt = new ProcessBuilder("unshare", "-U", "true")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return attempt.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) && attempt.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * A running server with new data, whose commits outlive a kill of the server.
     *
     * @param settings of postgresql.conf
     */
    public static PostgreSqlProcess running(Map<String, String> settings) {
        PostgreSqlProcess database;
        try {
            database = new PostgreSqlProcess(
                    Files.createTempDirectory(
                            "cairn-postgresql-" + ProcessHandle.current().pid() + '-'),
                    ReservedPorts.apart(0),
                    settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(database::close, "postgresql-end"));
        try {
            database.start();
            database.execute("CREATE ROLE " + USER + " LOGIN");
        } catch (RuntimeException | AssertionError e) {
            database.close();
            throw e;
        }
        return database;
    }

    /** A running server with an empty database. */
    public static PostgreSqlProcess runningWith(String name) {
        PostgreSqlProcess database = running(Map.of());
        database.createDatabase(name);
        return database;
    }

    /** A streaming standby that accepts reads. This server is stopped and started again, for the copy of its data. */
    public PostgreSqlProcess standby() {
        stop();
        try {
            PostgreSqlProcess standby = new PostgreSqlProcess(
                    Files.createTempDirectory(
                            "cairn-postgresql-" + ProcessHandle.current().pid() + '-'),
                    ReservedPorts.apart(0),
                    settings);
            Runtime.getRuntime().addShutdownHook(new Thread(standby::close, "postgresql-end"));
            copy(data(), standby.data());
            Files.createFile(standby.data().resolve("standby.signal"));
            Files.writeString(
                    standby.data().resolve("postgresql.auto.conf"),
                    "primary_conninfo = 'host=127.0.0.1 user=postgres port=" + port() + "'\n",
                    StandardOpenOption.APPEND);
            start();
            standby.start();
            return standby;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    @Override
    public void start() {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(data())
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPort(port())
                .setPGStartupWait(START)
                // The library's default is off.
                .setServerConfig("synchronous_commit", "on");
        settings.forEach(builder::setServerConfig);
        try {
            server = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path data() {
        return folder.resolve("data");
    }

    private EmbeddedPostgres server() {
        if (server == null) {
            throw new IllegalStateException("the server was never started");
        }
        return server;
    }

    @Override
    public void stop() {
        try {
            server().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All processes of the server. */
    @Override
    public void kill() {
        try {
            long pid = Long.parseLong(
                    Files.readAllLines(data().resolve("postmaster.pid")).get(0));
            // It starts no process for a further session meanwhile.
            Signal.STOP.send(pid);
            ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
            List<ProcessHandle> all = new ArrayList<>(postmaster.descendants().toList());
            all.add(postmaster);
            all.forEach(ProcessHandle::destroyForcibly);
            for (ProcessHandle each : all) {
                each.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("PostgreSQL still runs after SIGKILL", e);
        }
        // Releases the library's lock of the folder.
        stop();
    }

    public int port() {
        return port.first();
    }

    /** The JDBC URL of a database. */
    public String url(String name) {
        return "jdbc:postgresql://127.0.0.1:" + port() + '/' + name;
    }

    @Override
    public DatabaseAccess access(String schema) {
        return new DatabaseAccess(url(schema), USER, PASSWORD);
    }

    public void createDatabase(String name) {
        execute("CREATE DATABASE " + name + " OWNER " + USER);
    }

    /** Executes a statement as the administrator, in the database {@code postgres}. */
    public void execute(String sql) {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** A connection of the administrator. */
    public Connection connect(String name) throws SQLException {
        return server().getDatabase("postgres", name).getConnection();
    }

    /** Idempotent. */
    @Override
    public synchronized void close() {
        if (server != null) {
            stop();
        }
        port.close();
        try {
            if (Files.exists(folder)) {
                MariaDbFiles.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

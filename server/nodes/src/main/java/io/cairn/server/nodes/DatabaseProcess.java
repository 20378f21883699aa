package io.cairn.server.nodes;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.testing.ReservedPorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A MariaDB server process on a free loopback port and its own folder, which can be stopped, killed, paused and started again. It
 * ends with this JVM; {@link #close()} deletes its folder.
 */
public final class DatabaseProcess implements DatabaseServer {

    public static final String USER = "cairn";
    public static final String PASSWORD = "quarry-7";

    private static final long PATIENCE_SECONDS = PATIENCE.multipliedBy(2).toSeconds();
    private static final int GREETING_MILLIS = 1_000;
    private static final int PROTOCOL_VERSION = 10;
    // The shell ends the server when its input closes, with this JVM. It prints the server's process id, and ends with
    // the server.
    private static final String GUARD = "exec 3<&0; \"$@\" 3<&- & server=$!; echo $server; "
            + "{ cat <&3 >/dev/null; kill -9 $server; } 2>/dev/null & guard=$!; exec 3<&-; "
            + "wait $server; ended=$?; kill $guard; exit $ended";

    private final Path files;
    private final Path folder;
    private final ReservedPorts port;
    private final List<String> options;
    private @Nullable Process shell;
    private long pid;

    private DatabaseProcess(Path files, Path folder, ReservedPorts port, List<String> options) {
        this.files = files;
        this.folder = folder;
        this.port = port;
        this.options = options;
    }

    public static @Nullable String obstacle() {
        return MariaDbFiles.obstacle();
    }

    /** A server with new data, not started; {@code options} of mariadbd. */
    public static DatabaseProcess create(String... options) {
        return create(List.of(), options);
    }

    private static DatabaseProcess create(List<String> schemas, String... options) {
        try {
            Path folder = Files.createTempDirectory(
                    "cairn-database-" + ProcessHandle.current().pid() + '-');
            DatabaseProcess database =
                    new DatabaseProcess(MariaDbFiles.folder(), folder, ReservedPorts.apart(0), List.of(options));
            database.bootstrap(schemas);
            return database;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static DatabaseProcess running(String... options) {
        return started(create(options));
    }

    /** A running server with an empty schema, for tests without a JDBC driver. */
    public static DatabaseProcess runningWith(String schema) {
        return started(create(List.of(schema)));
    }

    private static DatabaseProcess started(DatabaseProcess database) {
        try {
            database.start();
            return database;
        } catch (RuntimeException | AssertionError e) {
            database.close();
            throw e;
        }
    }

    private List<String> command(String... more) {
        Path share = files.resolve("share");
        List<String> command = new ArrayList<>(List.of(
                files.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + files,
                "--datadir=" + folder.resolve("data"),
                // A server that starts deletes the temporary tables of others in a shared folder.
                "--tmpdir=" + folder,
                "--lc-messages-dir=" + share,
                "--character-sets-dir=" + share.resolve("charsets"),
                "--innodb-data-file-path=ibdata1:4M:autoextend",
                "--innodb-temp-data-file-path=ibtmp1:4M:autoextend",
                "--innodb-log-file-size=32M",
                // The tests kill the server and never the machine, so the system keeps its writes.
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-buffer-pool-size=64M",
                "--innodb-undo-tablespaces=0"));
        if (System.getProperty("user.name").equals("root")) {
            // Required to run as root.
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return command;
    }

    private void bootstrap(List<String> schemas) throws IOException {
        Files.createDirectory(folder.resolve("data"));
        Process process = new ProcessBuilder(command("--bootstrap", "--enforce-storage-engine="))
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
        try (OutputStream sql = process.getOutputStream()) {
            sql.write("create database mysql;\nuse mysql;\nset @auth_root_socket = null;\n"
                    .getBytes(StandardCharsets.UTF_8));
            for (String tables : List.of("system_tables", "performance_tables", "system_tables_data")) {
                Files.copy(files.resolve("share/mariadb_" + tables + ".sql"), sql);
            }
            sql.write(("flush privileges;\ncreate user '" + USER + "'@'%' identified by '" + PASSWORD + "';\n"
                            + "grant all on *.* to '" + USER + "'@'%' with grant option;\n")
                    .getBytes(StandardCharsets.UTF_8));
            for (String schema : schemas) {
                sql.write(("create database " + schema + " default character set utf8mb4 collate utf8mb4_bin;\n")
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
        if (await(process) != 0) {
            throw new AssertionError("no database could be made:\n" + Files.readString(log()));
        }
    }

    private Path log() {
        return folder.resolve("log");
    }

    @Override
    public void start() {
        try {
            List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "sh"));
            command.addAll(command(
                    "--bind-address=127.0.0.1",
                    "--port=" + port(),
                    "--socket=" + folder.resolve("socket"),
                    "--pid-file=" + folder.resolve("pid"),
                    "--skip-name-resolve",
                    // Otherwise each start computes a key of 4096 bits, for seconds.
                    "--skip-ssl",
                    "--max-connections=400",
                    "--character-set-server=utf8mb4"));
            command.addAll(options);
            Process started = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
            shell = started;
            pid = Long.parseLong(
                    new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8))
                            .readLine());
            awaitConnections(started);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitConnections(Process started) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            try {
                readGreeting();
                return;
            } catch (IOException e) {
                if (!started.isAlive() || System.nanoTime() - deadline > 0) {
                    throw new AssertionError("no database:\n" + Files.readString(log()), e);
                }
                pause(50);
            }
        }
    }

    /** Reads the first packet, sent when the server accepts connections: a header of 4 bytes, and its version. */
    private void readGreeting() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()), GREETING_MILLIS);
            socket.setSoTimeout(GREETING_MILLIS);
            byte[] head = socket.getInputStream().readNBytes(5);
            if (head.length < 5 || head[4] != PROTOCOL_VERSION) {
                throw new IOException("greeting: " + Arrays.toString(head) + " (expected: protocol version "
                        + PROTOCOL_VERSION + " at its end)");
            }
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void stop() {
        Signal.TERM.send(pid);
        awaitEnd();
    }

    @Override
    public void kill() {
        Signal.KILL.send(pid);
        awaitEnd();
    }

    /** The system accepts connections and bytes; the server answers nothing until {@link #resume()}. */
    public void pause() {
        Signal.STOP.send(pid);
    }

    public void resume() {
        Signal.CONT.send(pid);
    }

    private void awaitEnd() {
        if (shell != null) {
            await(shell);
        }
    }

    private static int await(Process process) {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("still running after " + PATIENCE_SECONDS + " s: " + process);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public int port() {
        return port.first();
    }

    /** The JDBC URL of the schema, which may be empty. */
    public String url(String schema) {
        return "jdbc:mysql://127.0.0.1:" + port() + '/' + schema;
    }

    @Override
    public DatabaseAccess access(String schema) {
        return new DatabaseAccess(url(schema), USER, PASSWORD);
    }

    /** A connection of the test itself. */
    public Connection connect(String schema) throws SQLException {
        return DriverManager.getConnection(url(schema) + "?connectTimeout=30000&socketTimeout=60000", USER, PASSWORD);
    }

    public void createSchema(String schema) {
        try (Connection connection = connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + schema);
        } catch (SQLException e) {
            throw new AssertionError("schema " + schema, e);
        }
    }

    @Override
    public void close() {
        if (shell != null && shell.isAlive()) {
            kill();
        }
        port.close();
        try {
            MariaDbFiles.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

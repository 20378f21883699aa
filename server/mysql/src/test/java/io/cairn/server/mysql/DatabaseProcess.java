package io.cairn.server.mysql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A MariaDB server as a process of its own, on a free port of loopback and a folder of its own, that can be stopped,
 * killed, paused and started again. It ends with this JVM, however that ends, and its folder with {@link #close()}.
 */
public final class DatabaseProcess implements AutoCloseable {

    public static final String USER = "cairn";
    public static final String PASSWORD = "quarry-7";

    private static final long PATIENCE_SECONDS = 120;
    // The shell ends the server as soon as nobody holds the other end of its input, that is with this JVM. It prints
    // the server's process id, and ends when the server does.
    private static final String GUARD = "exec 3<&0; \"$@\" 3<&- & server=$!; echo $server; "
            + "{ cat <&3 >/dev/null; kill -9 $server; } 2>/dev/null & guard=$!; exec 3<&-; "
            + "wait $server; ended=$?; kill $guard; exit $ended";

    private final Path files;
    private final Path folder;
    private final DatagramSocket port;
    private final List<String> options;
    private Process shell;
    private long pid;

    private DatabaseProcess(Path files, Path folder, DatagramSocket port, List<String> options) {
        this.files = files;
        this.folder = folder;
        this.port = port;
        this.options = options;
    }

    /** Why no such process can be started here, or null when it can. */
    public static String obstacle() {
        return MariaDbFiles.obstacle();
    }

    /** A server with fresh data that is not running yet; {@code options} are those of mariadbd. */
    public static DatabaseProcess create(String... options) {
        try {
            Path folder = Files.createTempDirectory(
                    "cairn-database-" + ProcessHandle.current().pid() + '-');
            DatabaseProcess database =
                    new DatabaseProcess(MariaDbFiles.folder(), folder, reservePort(), List.of(options));
            database.bootstrap();
            return database;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A running server with fresh data. */
    public static DatabaseProcess running(String... options) {
        DatabaseProcess database = create(options);
        try {
            database.start();
            return database;
        } catch (RuntimeException | AssertionError e) {
            database.close();
            throw e;
        }
    }

    /**
     * Reserves a port: its UDP port stays bound until the database is closed, and test servers of other processes reserve
     * theirs in the same way. The port is below those that systems hand out for outgoing connections: while the database is
     * away, one of these could take it, among them that of the client that looks for the database there.
     */
    private static DatagramSocket reservePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
            try {
                DatagramSocket reservation = new DatagramSocket(port, InetAddress.getLoopbackAddress());
                if (isFree(port)) {
                    return reservation;
                }
                reservation.close();
            } catch (SocketException reserved) {
                // another one then
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }

    private List<String> command(String... more) {
        Path share = files.resolve("share");
        List<String> command = new ArrayList<>(List.of(
                files.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + files,
                "--datadir=" + folder.resolve("data"),
                "--lc-messages-dir=" + share,
                "--character-sets-dir=" + share.resolve("charsets"),
                "--innodb-data-file-path=ibdata1:4M:autoextend",
                "--innodb-temp-data-file-path=ibtmp1:4M:autoextend",
                "--innodb-log-file-size=32M",
                // The tests kill the server and never the machine: what it handed to the system is not lost.
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-buffer-pool-size=64M",
                "--innodb-undo-tablespaces=0"));
        if (System.getProperty("user.name").equals("root")) {
            // It refuses to run as root unless told so.
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return command;
    }

    private void bootstrap() throws IOException {
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
        }
        if (await(process) != 0) {
            throw new AssertionError("no database could be made:\n" + Files.readString(log()));
        }
    }

    private Path log() {
        return folder.resolve("log");
    }

    /** Starts the server on its data and port; returns once it takes connections. */
    public void start() {
        try {
            List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "sh"));
            command.addAll(command(
                    "--bind-address=127.0.0.1",
                    "--port=" + port(),
                    "--socket=" + folder.resolve("socket"),
                    "--pid-file=" + folder.resolve("pid"),
                    "--skip-name-resolve",
                    // Otherwise it computes a key of 4096 bits at each start, which takes seconds.
                    "--skip-ssl",
                    "--max-connections=400",
                    "--character-set-server=utf8mb4"));
            command.addAll(options);
            shell = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
            pid = Long.parseLong(
                    new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8))
                            .readLine());
            awaitConnections();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitConnections() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            try {
                connect("").close();
                return;
            } catch (SQLException e) {
                if (!shell.isAlive() || System.nanoTime() - deadline > 0) {
                    throw new AssertionError("no database:\n" + Files.readString(log()), e);
                }
                pause(50);
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

    /** Stops it in order, as an operator does; returns when it has ended. */
    public void stop() {
        signal("TERM");
        await(shell);
    }

    /** SIGKILL; returns when it has ended. */
    public void kill() {
        signal("KILL");
        await(shell);
    }

    /** It takes connections and bytes, or rather the system does, and answers nothing until {@link #resume()}. */
    public void pause() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            int status = await(new ProcessBuilder("kill", '-' + name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start());
            if (status != 0) {
                throw new AssertionError("signal " + name + " for the database: status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
        return port.getLocalPort();
    }

    /** The JDBC URL of that schema; without one when it is empty. */
    public String url(String schema) {
        return "jdbc:mysql://127.0.0.1:" + port() + '/' + schema;
    }

    /** A connection of the test's own, past the server under test. */
    public Connection connect(String schema) throws SQLException {
        return DriverManager.getConnection(url(schema) + "?connectTimeout=30000&socketTimeout=60000", USER, PASSWORD);
    }

    /** Creates an empty schema. */
    public void createSchema(String schema) {
        try (Connection connection = connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + schema);
        } catch (SQLException e) {
            throw new AssertionError("schema " + schema, e);
        }
    }

    /** Kills the server where it runs, and deletes its data. */
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

package io.cairn.junit.processes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A database for the nodes of a cluster.
 *
 * @param url the JDBC URL of its schema, created by the first connection
 */
public record TestDatabase(String url, String user, String password) {

    private static final String USER = "cairn";
    private static final String PASSWORD = "cairn";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int HANDSHAKE = 10;
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    /** Of the MariaDB of this JVM; null before its start. Guarded by the class. */
    private static @Nullable FreePorts shared;

    /**
     * Creates an empty schema on a MariaDB that starts with the first call.
     *
     * @throws IllegalStateException with the reason when MariaDB cannot be started
     */
    public static synchronized TestDatabase newSchema() {
        FreePorts running = shared;
        if (running == null) {
            running = startMariaDb();
            shared = running;
        }
        return new TestDatabase(
                "jdbc:mysql://127.0.0.1:" + running.first() + "/cairn_" + SCHEMAS.incrementAndGet()
                        + "?createDatabaseIfNotExist=true",
                USER,
                PASSWORD);
    }

    private static FreePorts startMariaDb() {
        String obstacle = GuardedProcess.obstacle();
        if (obstacle != null) {
            throw new IllegalStateException(obstacle);
        }
        Path files = DatabaseFiles.unpacked();
        Path folder = Folders.temporary("test-database");
        FreePorts free = FreePorts.find(List.of());
        try {
            bootstrap(files, folder);
            GuardedProcess process = GuardedProcess.start(
                    folder,
                    folder.resolve("log"),
                    command(
                            files,
                            folder,
                            "--bind-address=127.0.0.1",
                            "--port=" + free.first(),
                            "--socket=" + folder.resolve("socket"),
                            "--pid-file=" + folder.resolve("pid"),
                            "--skip-name-resolve",
                            // Avoids the computation of a 4096-bit key at each start, which takes seconds.
                            "--skip-ssl",
                            "--max-connections=400",
                            "--character-set-server=utf8mb4",
                            "--collation-server=utf8mb4_bin"));
            awaitHandshake(process, free.first(), folder);
            return free;
        } catch (IOException e) {
            free.close();
            Folders.delete(folder);
            throw new UncheckedIOException("MariaDB cannot be started: " + e.getMessage(), e);
        }
    }

    private static List<String> command(Path files, Path folder, String... more) {
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
                "--innodb-buffer-pool-size=64M",
                "--innodb-undo-tablespaces=0",
                "--innodb-flush-log-at-trx-commit=2"));
        if ("root".equals(System.getProperty("user.name"))) {
            // MariaDB refuses to run as root without this option.
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return command;
    }

    private static void bootstrap(Path files, Path folder) throws IOException {
        Files.createDirectory(folder.resolve("data"));
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command(files, folder, "--bootstrap", "--enforce-storage-engine="))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try (OutputStream sql = process.getOutputStream()) {
            write(sql, "create database mysql;\nuse mysql;\nset @auth_root_socket = null;\n");
            for (String tables : List.of("system_tables", "performance_tables", "system_tables_data")) {
                Files.copy(files.resolve("share/mariadb_" + tables + ".sql"), sql);
            }
            write(sql, "flush privileges;\ncreate user '" + USER + "'@'%' identified by '" + PASSWORD + "';\n");
            write(sql, "grant all on *.* to '" + USER + "'@'%';\n");
        }
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException("no system tables could be made: " + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while MariaDB was starting", e);
        }
    }

    private static void write(OutputStream out, String sql) throws IOException {
        out.write(sql.getBytes(StandardCharsets.UTF_8));
    }

    private static void awaitHandshake(GuardedProcess process, int port, Path folder) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!greets(port)) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                process.kill();
                throw new IOException("it takes no connections: " + Files.readString(folder.resolve("log")));
            }
            Pauses.pause();
        }
    }

    private static boolean greets(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                InputStream in = socket.getInputStream()) {
            socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
            byte[] start = in.readNBytes(5);
            return start.length == 5 && start[4] == HANDSHAKE;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return user + '@' + url;
    }
}

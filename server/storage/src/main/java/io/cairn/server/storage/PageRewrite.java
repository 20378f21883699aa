package io.cairn.server.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Gives the database file of an earlier release the page size of new ones: a copy with that page size replaces the file in
 * one step. Runs before the database is opened, by the process that holds the lock of the data folder. The file stays as it
 * is where the copy would delay the start or the disk has no room for it.
 *
 * <p>When the process is killed, either the old file or the complete copy is there. The copy reaches the disk before it
 * replaces the file, and it replaces the file only when no write-ahead log is left.
 */
final class PageRewrite {

    private static final Logger log = LoggerFactory.getLogger(PageRewrite.class);
    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 18;

    /** A page size in the header of a file that does not fit into its two bytes. */
    private static final int LARGEST_PAGE = 65_536;

    private static final int BUSY_TIMEOUT_MILLIS = 100;
    private static final long CANCEL_EVERY_NANOS = 1_000_000;

    private final Path file;
    private final Path copy;
    private final int pageBytes;
    private final Limits limits;

    /**
     * Limits of a rewrite.
     *
     * @param largestBytes a larger file is not copied
     * @param longest the copy is given up after this time
     * @param roomFactor how many times its size must be free on the disk
     */
    record Limits(long largestBytes, Duration longest, int roomFactor) {

        /** A start is delayed by less than a second: the copy, and the time until the disk has it. */
        static final Limits OF_A_START = new Limits(64L << 20, Duration.ofMillis(600), 2);
    }

    PageRewrite(Path file, int pageBytes, Limits limits) {
        this.file = file;
        this.copy = file.resolveSibling(file.getFileName() + ".rewrite");
        this.pageBytes = pageBytes;
        this.limits = limits;
    }

    /**
     * Rewrites the file where its page size is another one.
     *
     * @return why the file keeps its page size, in one sentence; empty where it has the page size now
     */
    Optional<String> run() throws IOException {
        removeCopy();
        int present = pageSize(file);
        if (present == 0 || present == pageBytes) {
            return Optional.empty();
        }
        Optional<String> kept = rewrite();
        kept.ifPresentOrElse(
                why -> log.info("Database {} keeps its page size of {} bytes: {}", file, present, why),
                () -> log.info(
                        "Database {} was rewritten with pages of {} instead of {} bytes", file, pageBytes, present));
        return kept;
    }

    private Optional<String> rewrite() throws IOException {
        long bytes = Files.size(file) + sizeOrZero(wal());
        if (bytes > limits.largestBytes()) {
            return Optional.of(
                    "rewriting its " + mebibytes(bytes) + " MiB would delay the start by more than a second");
        }
        long usable = Files.getFileStore(file).getUsableSpace();
        if (usable / limits.roomFactor() < bytes) {
            return Optional.of("rewriting it needs " + mebibytes(limits.roomFactor() * bytes)
                    + " MiB of free disk space, and " + mebibytes(usable) + " MiB are free");
        }
        try {
            copyAll();
            if (Files.exists(wal())) {
                return Optional.of("another program has it open");
            }
            force(copy, StandardOpenOption.WRITE);
            Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            force(Objects.requireNonNull(file.toAbsolutePath().getParent()), StandardOpenOption.READ);
            return Optional.empty();
        } catch (SQLException e) {
            return Optional.of(
                    e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_INTERRUPT
                            ? "rewriting it takes longer than "
                                    + limits.longest().toMillis() + " ms"
                            : "rewriting it failed: " + SqliteDatabase.DIALECT.explain(e));
        } finally {
            removeCopy();
        }
    }

    private void copyAll() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setTempStore(SQLiteConfig.TempStore.MEMORY);
        config.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "cairn-page-rewrite");
            thread.setDaemon(true);
            return thread;
        });
        try (Connection connection = config.createConnection("jdbc:sqlite:" + file)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA page_size=" + pageBytes);
            }
            try (PreparedStatement vacuum = connection.prepareStatement("VACUUM INTO ?")) {
                vacuum.setString(1, copy.toString());
                // Again and again: a call that comes before the statement has begun does nothing.
                var unused = timer.scheduleWithFixedDelay(
                        () -> cancel(vacuum), limits.longest().toNanos(), CANCEL_EVERY_NANOS, TimeUnit.NANOSECONDS);
                vacuum.executeUpdate();
            }
        } finally {
            timer.shutdownNow();
        }
    }

    private static void cancel(PreparedStatement statement) {
        try {
            statement.cancel();
        } catch (SQLException e) {
            log.warn("Rewriting the database could not be stopped in time: {}", e.getMessage());
        }
    }

    /** The page size in the header of a database file; 0 where there is no such file or it is empty. */
    static int pageSize(Path file) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (header.hasRemaining() && channel.read(header) >= 0) {
                // A read may return less than was asked for.
            }
        }
        if (header.hasRemaining() || !header.flip().slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            return 0;
        }
        int size = Short.toUnsignedInt(header.getShort(MAGIC.length));
        return size == 1 ? LARGEST_PAGE : size;
    }

    private Path wal() {
        return file.resolveSibling(file.getFileName() + "-wal");
    }

    private void removeCopy() throws IOException {
        Files.deleteIfExists(copy);
        Files.deleteIfExists(copy.resolveSibling(copy.getFileName() + "-journal"));
    }

    private static void force(Path path, StandardOpenOption option) throws IOException {
        try (FileChannel channel = FileChannel.open(path, option)) {
            channel.force(true);
        }
    }

    private static long sizeOrZero(Path path) throws IOException {
        return Files.exists(path) ? Files.size(path) : 0;
    }

    private static long mebibytes(long bytes) {
        return (bytes >> 20) + 1;
    }
}

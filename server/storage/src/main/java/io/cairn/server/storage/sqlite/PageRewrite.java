package io.cairn.server.storage.sqlite;

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
 * Changes an old database file to the present page size, by a copy that replaces it in one step. Runs before the database is
 * opened, by the process with the lock of the data folder. The file stays where the copy would delay the start or lacks room.
 *
 * <p>After a kill there is the old file or the complete copy. The copy reaches the disk first, and replaces the file only without a
 * write-ahead log.
 */
final class PageRewrite {

    private static final Logger log = LoggerFactory.getLogger(PageRewrite.class);
    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 18;

    /** A header value for a page size beyond two bytes. */
    private static final int LARGEST_PAGE = 65_536;

    private static final int BUSY_TIMEOUT_MILLIS = 100;
    private static final long CANCEL_EVERY_NANOS = 1_000_000;

    private final Path file;
    private final Path copy;
    private final int pageBytes;
    private final Limits limits;

    /**
     * @param largestBytes larger files are not copied
     * @param longest time of the copy
     * @param roomFactor required free space, in sizes of the file
     */
    record Limits(long largestBytes, Duration longest, int roomFactor) {

        /** Delays a start by less than a second: the copy, and its sync. */
        static final Limits OF_A_START = new Limits(64L << 20, Duration.ofMillis(600), 2);
    }

    PageRewrite(Path file, int pageBytes, Limits limits) {
        this.file = file;
        this.copy = file.resolveSibling(file.getFileName() + ".rewrite");
        this.pageBytes = pageBytes;
        this.limits = limits;
    }

    /** @return why the file keeps its page size, in a sentence; empty with the present one */
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
                // Repeatedly: a call before the statement has begun has no effect.
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

    /** Of the header; 0 without a file, or for an empty one. */
    static int pageSize(Path file) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (header.hasRemaining() && channel.read(header) >= 0) {
                // A read may return fewer bytes.
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

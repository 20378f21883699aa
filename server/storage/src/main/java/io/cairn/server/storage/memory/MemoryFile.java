package io.cairn.server.storage.memory;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.sqlite.SqliteDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;

/**
 * A file with tables beside the database, for data that clients send again. Writes do not wait for the disk: the file survives the
 * process, not a loss of power. An unreadable file is replaced by an empty one. For one thread at a time.
 */
final class MemoryFile implements AutoCloseable {

    /** The wait for another process with the file. */
    static final Duration BUSY_TIMEOUT = Duration.ofSeconds(3);

    private static final Logger log = LoggerFactory.getLogger(MemoryFile.class);

    private final Path path;
    private final List<String> tables;
    private final Duration busyTimeout;
    private Connection connection;

    private MemoryFile(Path path, List<String> tables, Duration busyTimeout, Connection connection) {
        this.path = path;
        this.tables = List.copyOf(tables);
        this.busyTimeout = busyTimeout;
        this.connection = connection;
    }

    /**
     * @param tables statements that create missing tables
     * @throws CairnException {@code UNAVAILABLE} for a file that can neither be read nor created
     */
    static MemoryFile open(Path folder, String name, List<String> tables, Duration busyTimeout) {
        Path path = folder.resolve(name);
        try {
            SqliteDatabase.keepNativeLibraryIn(folder);
            return new MemoryFile(path, tables, busyTimeout, connect(path, tables, busyTimeout));
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "Data folder " + folder + " cannot be used: " + e.getMessage(), e);
        } catch (SQLException e) {
            log.warn("{} cannot be used ({}); it is created again", path, e.getMessage());
            return new MemoryFile(path, tables, busyTimeout, reconnect(path, tables, busyTimeout));
        }
    }

    private static Connection reconnect(Path path, List<String> tables, Duration busyTimeout) {
        try {
            for (String ending : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(Path.of(path + ending));
            }
            return connect(path, tables, busyTimeout);
        } catch (SQLException | IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, path + " cannot be written: " + e.getMessage() + "; look at the disk", e);
        }
    }

    private static Connection connect(Path path, List<String> tables, Duration busyTimeout) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setCacheSize(-1024);
        config.setBusyTimeout(Math.toIntExact(busyTimeout.toMillis()));
        Connection opened = config.createConnection("jdbc:sqlite:" + path);
        try (Statement statement = opened.createStatement()) {
            for (String table : tables) {
                statement.execute(table);
            }
            opened.setAutoCommit(false);
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /** Without auto-commit. */
    Connection connection() {
        return connection;
    }

    /** Replaces a broken file by an empty one. */
    void recreate(SQLException cause) {
        log.warn("{} cannot be read to its end ({}); it is created again", path, cause.getMessage());
        close();
        connection = reconnect(path, tables, busyTimeout);
    }

    /** Drops a possibly half-done transaction. */
    void connectAgain() {
        close();
        try {
            connection = connect(path, tables, busyTimeout);
        } catch (SQLException e) {
            log.debug("{} cannot be opened; the next attempt to write tries that again", path, e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("Closing {} failed", path, e);
        }
    }
}

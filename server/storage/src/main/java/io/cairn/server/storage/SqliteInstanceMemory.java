package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.naming.InstanceMemory;
import io.cairn.server.naming.KnownService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;

/**
 * The last known instances, in a file of their own beside the database. A write does not wait for the disk: the file
 * survives the end of the process, and clients register again the instances that a loss of power removes from it. A file
 * that cannot be read is replaced by an empty one. Used by one thread at a time.
 */
public final class SqliteInstanceMemory implements InstanceMemory {

    private static final Logger log = LoggerFactory.getLogger(SqliteInstanceMemory.class);

    /** How long a write waits for another process that holds the file. */
    private static final Duration BUSY_TIMEOUT = Duration.ofSeconds(3);

    private final Path file;
    private final Duration busyTimeout;
    private Connection connection;

    private SqliteInstanceMemory(Path file, Duration busyTimeout, Connection connection) {
        this.file = file;
        this.busyTimeout = busyTimeout;
        this.connection = connection;
    }

    /** @throws CairnException {@code UNAVAILABLE} when the file can neither be read nor made */
    public static SqliteInstanceMemory open(Path folder) {
        return open(folder, BUSY_TIMEOUT);
    }

    static SqliteInstanceMemory open(Path folder, Duration busyTimeout) {
        Path file = folder.resolve("last-known.db");
        try {
            SqliteDatabase.keepNativeLibraryIn(folder);
            return new SqliteInstanceMemory(file, busyTimeout, connect(file, busyTimeout));
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "Data folder " + folder + " cannot be used: " + e.getMessage(), e);
        } catch (SQLException e) {
            log.warn("{} cannot be used ({}); it is made anew", file, e.getMessage());
            return new SqliteInstanceMemory(file, busyTimeout, connectAnew(file, busyTimeout));
        }
    }

    private static Connection connectAnew(Path file, Duration busyTimeout) {
        try {
            for (String ending : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(Path.of(file + ending));
            }
            return connect(file, busyTimeout);
        } catch (SQLException | IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, file + " cannot be written: " + e.getMessage() + "; look at the disk", e);
        }
    }

    private static Connection connect(Path file, Duration busyTimeout) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setCacheSize(-1024);
        config.setBusyTimeout(Math.toIntExact(busyTimeout.toMillis()));
        Connection opened = config.createConnection("jdbc:sqlite:" + file);
        try (Statement statement = opened.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS last_known (namespace_id TEXT NOT NULL,"
                    + " group_name TEXT NOT NULL, service_name TEXT NOT NULL, instances TEXT NOT NULL,"
                    + " PRIMARY KEY (namespace_id, group_name, service_name))");
            opened.setAutoCommit(false);
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public void forEach(Consumer<KnownService> consumer) {
        List<KnownService> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT namespace_id, group_name, service_name, instances FROM last_known")) {
            while (rows.next()) {
                read(rows, all);
            }
            connection.commit();
        } catch (SQLException e) {
            log.warn("{} cannot be read to its end ({}); it is made anew", file, e.getMessage());
            close();
            connection = connectAnew(file, busyTimeout);
        }
        all.forEach(consumer);
    }

    private static void read(ResultSet row, List<KnownService> all) throws SQLException {
        try {
            all.add(NamingRows.known(
                    new ServiceKey(Namespace.ofNullable(row.getString(1)), row.getString(2), row.getString(3)),
                    row.getString(4)));
        } catch (MalformedMessageException | IllegalArgumentException e) {
            log.warn(
                    "The last-known instances of {} cannot be read ({}); they are left out",
                    row.getString(3),
                    e.getMessage());
        }
    }

    @Override
    public void save(Collection<KnownService> services) {
        try (PreparedStatement replace = connection.prepareStatement("INSERT OR REPLACE INTO last_known"
                        + " (namespace_id, group_name, service_name, instances) VALUES (?, ?, ?, ?)");
                PreparedStatement delete = connection.prepareStatement(
                        "DELETE FROM last_known WHERE namespace_id = ? AND group_name = ? AND service_name = ?")) {
            for (KnownService known : services) {
                PreparedStatement statement = known.isEmpty() ? delete : replace;
                statement.setString(1, known.service().namespace().id());
                statement.setString(2, known.service().group());
                statement.setString(3, known.service().name());
                if (!known.isEmpty()) {
                    statement.setString(4, NamingRows.known(known));
                }
                statement.executeUpdate();
            }
            connection.commit();
        } catch (SQLException e) {
            connectAgain();
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The last-known instances cannot be written: " + e.getMessage(), e);
        }
    }

    /** Gets rid of a transaction that may be half done. */
    private void connectAgain() {
        close();
        try {
            connection = connect(file, busyTimeout);
        } catch (SQLException e) {
            log.debug("{} cannot be opened; the next attempt to write tries that again", file, e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("Closing the last-known instances failed", e);
        }
    }
}

package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.naming.InstanceMemory;
import io.cairn.server.naming.KnownService;
import java.nio.file.Path;
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

/**
 * The last known instances, in a {@linkplain MemoryFile file} of their own beside the database. Clients register again the instances
 * that a loss of power removes from it. Used by one thread at a time.
 */
public final class SqliteInstanceMemory implements InstanceMemory {

    private static final Logger log = LoggerFactory.getLogger(SqliteInstanceMemory.class);

    private static final String TABLE = "CREATE TABLE IF NOT EXISTS last_known (namespace_id TEXT NOT NULL,"
            + " group_name TEXT NOT NULL, service_name TEXT NOT NULL, instances TEXT NOT NULL,"
            + " PRIMARY KEY (namespace_id, group_name, service_name))";

    private final MemoryFile file;

    private SqliteInstanceMemory(MemoryFile file) {
        this.file = file;
    }

    /** @throws CairnException {@code UNAVAILABLE} when the file can neither be read nor made */
    public static SqliteInstanceMemory open(Path folder) {
        return open(folder, MemoryFile.BUSY_TIMEOUT);
    }

    static SqliteInstanceMemory open(Path folder, Duration busyTimeout) {
        return new SqliteInstanceMemory(MemoryFile.open(folder, "last-known.db", TABLE, busyTimeout));
    }

    @Override
    public void forEach(Consumer<KnownService> consumer) {
        List<KnownService> all = new ArrayList<>();
        try (Statement statement = file.connection().createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT namespace_id, group_name, service_name, instances FROM last_known")) {
            while (rows.next()) {
                read(rows, all);
            }
            file.connection().commit();
        } catch (SQLException e) {
            file.makeAnew(e);
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
        try (PreparedStatement replace = file.connection()
                        .prepareStatement("INSERT OR REPLACE INTO last_known"
                                + " (namespace_id, group_name, service_name, instances) VALUES (?, ?, ?, ?)");
                PreparedStatement delete = file.connection()
                        .prepareStatement(
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
            file.connection().commit();
        } catch (SQLException e) {
            file.connectAgain();
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The last-known instances cannot be written: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}

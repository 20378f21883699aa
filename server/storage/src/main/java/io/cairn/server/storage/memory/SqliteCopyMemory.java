package io.cairn.server.storage.memory;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.CopyMemory;
import io.cairn.server.node.NodeId;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Other nodes' publications, in their own {@linkplain MemoryFile file}: a row for each. */
public final class SqliteCopyMemory implements CopyMemory {

    private static final Logger log = LoggerFactory.getLogger(SqliteCopyMemory.class);

    private static final String KEY = "owner, incarnation, publisher, namespace_id, group_name, service_name";
    private static final String TABLE = "CREATE TABLE IF NOT EXISTS last_known_copy (owner TEXT NOT NULL,"
            + " incarnation INTEGER NOT NULL, publisher TEXT NOT NULL, namespace_id TEXT NOT NULL,"
            + " group_name TEXT NOT NULL, service_name TEXT NOT NULL, publication BLOB NOT NULL, PRIMARY KEY (" + KEY
            + ")) WITHOUT ROWID";

    private final MemoryFile file;

    private SqliteCopyMemory(MemoryFile file) {
        this.file = file;
    }

    /** @throws CairnException {@code UNAVAILABLE} for a file that can neither be read nor created */
    public static SqliteCopyMemory open(Path folder) {
        return new SqliteCopyMemory(
                MemoryFile.open(folder, "last-known-copies.db", List.of(TABLE), MemoryFile.BUSY_TIMEOUT));
    }

    @Override
    public void forEach(Consumer<Entry> consumer) {
        try (Statement statement = file.connection().createStatement();
                ResultSet rows = statement.executeQuery("SELECT " + KEY + ", publication FROM last_known_copy")) {
            while (rows.next()) {
                read(rows, consumer);
            }
            file.connection().commit();
        } catch (SQLException e) {
            file.recreate(e);
        }
    }

    private static void read(ResultSet row, Consumer<Entry> consumer) throws SQLException {
        Key key;
        try {
            key = new Key(
                    new NodeId(row.getString(1), row.getLong(2)),
                    row.getString(3),
                    new ServiceKey(Namespace.ofNullable(row.getString(4)), row.getString(5), row.getString(6)));
        } catch (IllegalArgumentException e) {
            log.warn(
                    "A last-known instance of {} cannot be read ({}); it is left out",
                    row.getString(6),
                    e.getMessage());
            return;
        }
        consumer.accept(new Entry(key, row.getBytes(7)));
    }

    @Override
    public void save(Collection<Entry> entries) {
        try (PreparedStatement replace = file.connection()
                        .prepareStatement("INSERT OR REPLACE INTO last_known_copy (" + KEY
                                + ", publication) VALUES (?, ?, ?, ?, ?, ?, ?)");
                PreparedStatement delete = file.connection()
                        .prepareStatement("DELETE FROM last_known_copy WHERE owner = ? AND incarnation = ?"
                                + " AND publisher = ? AND namespace_id = ? AND group_name = ? AND service_name = ?")) {
            for (Entry entry : entries) {
                byte[] encoded = entry.encoded();
                PreparedStatement statement = encoded == null ? delete : replace;
                Key key = entry.key();
                statement.setString(1, key.owner().address());
                statement.setLong(2, key.owner().incarnation());
                statement.setString(3, key.publisherId());
                statement.setString(4, key.service().namespace().id());
                statement.setString(5, key.service().group());
                statement.setString(6, key.service().name());
                if (encoded != null) {
                    statement.setBytes(7, encoded);
                }
                statement.executeUpdate();
            }
            file.connection().commit();
        } catch (SQLException e) {
            throw notWritten(e);
        }
    }

    @Override
    public void clear() {
        try (Statement statement = file.connection().createStatement()) {
            statement.executeUpdate("DELETE FROM last_known_copy");
            file.connection().commit();
        } catch (SQLException e) {
            throw notWritten(e);
        }
    }

    private CairnException notWritten(SQLException cause) {
        file.connectAgain();
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "The last-known instances of other nodes cannot be written: " + cause.getMessage(),
                cause);
    }

    @Override
    public void close() {
        file.close();
    }
}

package io.cairn.server.storage.memory;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.stored.InstanceMemory;
import io.cairn.server.storage.naming.NamingRows;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last known instances, in a {@linkplain MemoryFile file} beside the database. Clients register again those that a loss of
 * power removes. A large service is written in {@linkplain KnownServiceParts parts}, only the changed ones. For one thread at a
 * time.
 */
public final class SqliteInstanceMemory implements InstanceMemory {

    private static final Logger log = LoggerFactory.getLogger(SqliteInstanceMemory.class);

    private static final String KEY_COLUMNS =
            "namespace_id TEXT NOT NULL, group_name TEXT NOT NULL, service_name TEXT NOT NULL";

    /** A row for each service, with its first part. */
    private static final String SERVICES = "CREATE TABLE IF NOT EXISTS last_known (" + KEY_COLUMNS
            + ", instances TEXT NOT NULL, PRIMARY KEY (namespace_id, group_name, service_name))";

    /** Further parts of large services, from 1 on, as many as the first part states, which an older release rewrites. */
    private static final String PARTS = "CREATE TABLE IF NOT EXISTS last_known_part (" + KEY_COLUMNS
            + ", part INTEGER NOT NULL, instances TEXT NOT NULL,"
            + " PRIMARY KEY (namespace_id, group_name, service_name, part))";

    private static final String OF_SERVICE = " WHERE namespace_id = ? AND group_name = ? AND service_name = ?";

    private final MemoryFile file;

    /** The parts of each divided service in the file; empty lists where unknown. Null before the read. */
    private @Nullable Map<ServiceKey, List<KnownService>> divided;

    private SqliteInstanceMemory(MemoryFile file) {
        this.file = file;
    }

    /** @throws CairnException {@code UNAVAILABLE} for a file that can neither be read nor created */
    public static SqliteInstanceMemory open(Path folder) {
        return open(folder, MemoryFile.BUSY_TIMEOUT);
    }

    static SqliteInstanceMemory open(Path folder, Duration busyTimeout) {
        return new SqliteInstanceMemory(
                MemoryFile.open(folder, "last-known.db", List.of(SERVICES, PARTS), busyTimeout));
    }

    @Override
    public void forEach(Consumer<KnownService> consumer) {
        List<KnownService> all = new ArrayList<>();
        try (Statement statement = file.connection().createStatement()) {
            Map<ServiceKey, List<Part>> parts = readParts(statement);
            try (ResultSet rows = statement.executeQuery(
                    "SELECT namespace_id, group_name, service_name, instances FROM last_known")) {
                while (rows.next()) {
                    read(rows, parts, all);
                }
            }
            file.connection().commit();
        } catch (SQLException e) {
            file.recreate(e);
            divided = null;
        }
        all.forEach(consumer);
    }

    private record Part(int number, String instances) {}

    /** In order. */
    private static Map<ServiceKey, List<Part>> readParts(Statement statement) throws SQLException {
        Map<ServiceKey, List<Part>> parts = new HashMap<>();
        try (ResultSet rows = statement.executeQuery("SELECT namespace_id, group_name, service_name, part, instances"
                + " FROM last_known_part ORDER BY namespace_id, group_name, service_name, part")) {
            while (rows.next()) {
                parts.computeIfAbsent(key(rows), first -> new ArrayList<>())
                        .add(new Part(rows.getInt(4), rows.getString(5)));
            }
        }
        return parts;
    }

    private static ServiceKey key(ResultSet row) throws SQLException {
        return new ServiceKey(Namespace.ofNullable(row.getString(1)), row.getString(2), row.getString(3));
    }

    private static void read(ResultSet row, Map<ServiceKey, List<Part>> parts, List<KnownService> all)
            throws SQLException {
        try {
            ServiceKey service = key(row);
            String instances = row.getString(4);
            KnownService first = NamingRows.known(service, instances);
            List<Part> others = parts.get(service);
            if (others == null) {
                all.add(first);
                return;
            }
            int count = NamingRows.parts(instances);
            List<KnownService> readable = new ArrayList<>(others.size());
            for (Part each : others) {
                if (each.number() < count) {
                    readable.add(NamingRows.known(service, each.instances()));
                }
            }
            all.add(KnownServiceParts.joined(first, readable));
        } catch (MalformedMessageException | IllegalArgumentException e) {
            log.warn(
                    "The last-known instances of {} cannot be read ({}); they are left out",
                    row.getString(3),
                    e.getMessage());
        }
    }

    @Override
    public void save(Collection<KnownService> services) {
        try (Rows rows = new Rows(file.connection())) {
            Map<ServiceKey, List<KnownService>> known = divided;
            if (known == null) {
                known = rows.divided();
                divided = known;
            }
            for (KnownService service : services) {
                save(service, known, rows);
            }
            file.connection().commit();
        } catch (SQLException e) {
            file.connectAgain();
            divided = null;
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The last-known instances cannot be written: " + e.getMessage(), e);
        }
    }

    private static void save(KnownService service, Map<ServiceKey, List<KnownService>> divided, Rows rows)
            throws SQLException {
        ServiceKey key = service.service();
        List<KnownService> now = KnownServiceParts.of(service);
        List<KnownService> before = divided.get(key);
        if (before != null && before.size() > now.size() || before != null && before.isEmpty()) {
            rows.deletePartsFrom(key, before.isEmpty() ? 1 : now.size());
        }
        for (int part = 0; part < now.size(); part++) {
            // The first part has their number.
            boolean isSame = before != null
                    && part < before.size()
                    && (part > 0 || before.size() == now.size())
                    && now.get(part).equals(before.get(part));
            if (!isSame) {
                rows.write(now.get(part), part, now.size());
            }
        }
        if (now.size() > 1) {
            divided.put(key, now);
        } else if (before != null) {
            divided.remove(key);
        }
    }

    /** Statements that change rows, prepared on demand. */
    private static final class Rows implements AutoCloseable {

        private final Connection connection;
        private final PreparedStatement replace;
        private @Nullable PreparedStatement delete;
        private @Nullable PreparedStatement replacePart;
        private @Nullable PreparedStatement deleteParts;

        Rows(Connection connection) throws SQLException {
            this.connection = connection;
            this.replace = connection.prepareStatement("INSERT OR REPLACE INTO last_known"
                    + " (namespace_id, group_name, service_name, instances) VALUES (?, ?, ?, ?)");
        }

        /** Divided services, with unknown parts. */
        Map<ServiceKey, List<KnownService>> divided() throws SQLException {
            Map<ServiceKey, List<KnownService>> found = new HashMap<>();
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "SELECT DISTINCT namespace_id, group_name, service_name FROM last_known_part")) {
                while (rows.next()) {
                    found.put(key(rows), List.of());
                }
            }
            return found;
        }

        void write(KnownService known, int part, int parts) throws SQLException {
            if (part > 0) {
                PreparedStatement statement = replacePart;
                if (statement == null) {
                    statement = connection.prepareStatement("INSERT OR REPLACE INTO last_known_part"
                            + " (namespace_id, group_name, service_name, part, instances) VALUES (?, ?, ?, ?, ?)");
                    replacePart = statement;
                }
                bind(statement, known.service());
                statement.setInt(4, part);
                statement.setString(5, NamingRows.known(known, 1));
                statement.executeUpdate();
            } else if (known.isEmpty()) {
                PreparedStatement statement = delete;
                if (statement == null) {
                    statement = connection.prepareStatement("DELETE FROM last_known" + OF_SERVICE);
                    delete = statement;
                }
                bind(statement, known.service());
                statement.executeUpdate();
            } else {
                bind(replace, known.service());
                replace.setString(4, NamingRows.known(known, parts));
                replace.executeUpdate();
            }
        }

        void deletePartsFrom(ServiceKey service, int part) throws SQLException {
            PreparedStatement statement = deleteParts;
            if (statement == null) {
                statement = connection.prepareStatement("DELETE FROM last_known_part" + OF_SERVICE + " AND part >= ?");
                deleteParts = statement;
            }
            bind(statement, service);
            statement.setInt(4, part);
            statement.executeUpdate();
        }

        private static void bind(PreparedStatement statement, ServiceKey service) throws SQLException {
            statement.setString(1, service.namespace().id());
            statement.setString(2, service.group());
            statement.setString(3, service.name());
        }

        @Override
        public void close() throws SQLException {
            // A failed close leaves the others to the connection, which is then replaced.
            close(replace);
            close(delete);
            close(replacePart);
            close(deleteParts);
        }

        private static void close(@Nullable PreparedStatement statement) throws SQLException {
            if (statement != null) {
                statement.close();
            }
        }
    }

    @Override
    public void close() {
        file.close();
    }
}

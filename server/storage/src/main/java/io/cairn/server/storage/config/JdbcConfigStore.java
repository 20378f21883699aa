package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.KeptStatements;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RepeatedSql;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.row.ConfigEntries;
import io.cairn.server.storage.row.ConfigRow;
import io.cairn.server.storage.writer.StoreWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public final class JdbcConfigStore implements ConfigStore {

    private static final String LOAD = ConfigEntries.SELECT_ENTRY + ", content FROM config_info" + ConfigEntries.OF_KEY;
    /** The columns that differ between versions, before the content. */
    private static final String VERSION = "type, gmt_modified, encrypted_data_key, ";

    private static final String LOAD_VERSION = "SELECT " + VERSION + "content FROM config_info" + ConfigEntries.OF_KEY;
    /** The content alone: its digest identifies the version. */
    private static final String LOAD_ROW = "SELECT content FROM config_info WHERE id = ?";
    /** Reads several, without large contents. */
    private static final RepeatedSql LOAD_VERSIONS = new RepeatedSql(
            "SELECT " + VERSION + "CASE WHEN LENGTH(content) <= " + ConfigRow.LARGEST_READ_BYTES
                    + " THEN content END, data_id, group_id, tenant_id FROM config_info WHERE (",
            "(data_id = ? AND group_id = ? AND tenant_id = ?)",
            " OR ",
            ")");
    /** The bytes of contents in one read; the rest is read singly. */
    private static final int MAX_BYTES_TOGETHER = 4 << 20;

    private static final Logger log = LoggerFactory.getLogger(JdbcConfigStore.class);

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final CapacityCheck capacity;
    private final int maxGrayReleases;
    private final CommitObserver observer;
    private final Function<ConfigEntry, Optional<ConfigVersion>> copies;

    /** @param maxGrayReleases of a configuration */
    public JdbcConfigStore(
            StoreWriter writer,
            ReadConnections readers,
            CapacityCheck capacity,
            int maxGrayReleases,
            CommitObserver observer) {
        this(writer, readers, capacity, maxGrayReleases, observer, asked -> Optional.empty());
    }

    /**
     * @param maxGrayReleases of a configuration
     * @param copies asked first for exactly the entry's version
     */
    public JdbcConfigStore(
            StoreWriter writer,
            ReadConnections readers,
            CapacityCheck capacity,
            int maxGrayReleases,
            CommitObserver observer,
            Function<ConfigEntry, Optional<ConfigVersion>> copies) {
        this.writer = writer;
        this.readers = readers;
        this.capacity = capacity;
        this.maxGrayReleases = maxGrayReleases;
        this.observer = observer;
        this.copies = copies;
    }

    @Override
    public CompletionStage<PublishResult> publish(PublishConfig command) {
        return writer.submit(
                command.gray() == null
                        ? new PublishConfigCommand(command, capacity, observer)
                        : new PublishGrayCommand(command, command.gray(), maxGrayReleases, capacity, observer));
    }

    @Override
    public CompletionStage<Optional<ConfigChanged>> remove(RemoveConfig command) {
        return writer.submit(
                command.grayName() == null
                        ? new RemoveConfigCommand(command, observer)
                        : new RemoveGrayCommand(command, command.grayName(), observer));
    }

    @Override
    public void forEachEntry(Consumer<ConfigEntry> consumer) {
        forEachEntry(readers, consumer);
    }

    /** As {@link ConfigStore#forEachEntry}, before there is a store. */
    public static void forEachEntry(ReadConnections readers, Consumer<ConfigEntry> consumer) {
        int found = readers.with("reading the list of configurations", connection -> {
            Map<ConfigKey, ConfigType> types = new HashMap<>();
            int count =
                    forEachFormal(readers, connection, consumer.andThen(entry -> types.put(entry.key(), entry.type())));
            for (String table : TableNames.GRAYS) {
                count += forEachGray(readers, connection, table, types, consumer);
            }
            return count;
        });
        log.debug("{} configurations and gray releases are stored", found);
    }

    private static int forEachFormal(ReadConnections readers, Connection connection, Consumer<ConfigEntry> consumer)
            throws SQLException {
        Dialect dialect = readers.dialect();
        LeftOutRows.Reading reading = readers.leftOut().whole(TableNames.FORMAL);
        try (PreparedStatement statement =
                        connection.prepareStatement(ConfigEntries.SELECT_ENTRY + ", id FROM config_info ORDER BY id");
                ResultSet rows = statement.executeQuery()) {
            int count = 0;
            while (rows.next()) {
                if (dialect.isOtherDefault(rows.getString(3))) {
                    continue;
                }
                Optional<ConfigEntry> entry = reading.read(
                        rows,
                        row -> {
                            ConfigKey key = ConfigEntries.key(row);
                            long id = row.getLong(8);
                            return ConfigEntries.entry(
                                    dialect,
                                    row,
                                    key,
                                    ConfigEntries.digest(connection, TableNames.FORMAL, row.getString(4), id),
                                    id);
                        },
                        8);
                if (entry.isPresent()) {
                    count++;
                    consumer.accept(entry.get());
                }
            }
            reading.done();
            return count;
        }
    }

    /** Gray rules have no type of their own; answers have that of the configuration. */
    private static int forEachGray(
            ReadConnections readers,
            Connection connection,
            String table,
            Map<ConfigKey, ConfigType> types,
            Consumer<ConfigEntry> consumer)
            throws SQLException {
        Dialect dialect = readers.dialect();
        LeftOutRows.Reading reading = readers.leftOut().whole(table);
        try (PreparedStatement statement =
                        connection.prepareStatement(ConfigEntries.SELECT_GRAY + ", id FROM " + table + " ORDER BY id");
                ResultSet rows = statement.executeQuery()) {
            int count = 0;
            while (rows.next()) {
                if (dialect.isOtherDefault(rows.getString(3))) {
                    continue;
                }
                Optional<ConfigEntry> entry = reading.read(
                        rows,
                        row -> {
                            ConfigKey key = ConfigEntries.key(row);
                            ContentDigest digest =
                                    ConfigEntries.digest(connection, table, row.getString(4), row.getLong(9));
                            return ConfigEntries.grayEntry(
                                    dialect, table, row, digest, types.getOrDefault(key, ConfigType.TEXT));
                        },
                        9);
                if (entry.isPresent()) {
                    count++;
                    ConfigEntries.noteUnreadableRule(reading, entry.get().gray(), rows.getLong(9));
                    consumer.accept(entry.get());
                }
            }
            reading.done();
            return count;
        }
    }

    @Override
    public Optional<ConfigVersion> load(ConfigEntry asked) {
        Optional<ConfigVersion> copy = copies.apply(asked);
        return copy.isPresent() ? copy : load(readers, asked);
    }

    /** As {@link ConfigStore#load}, from that database. */
    public static Optional<ConfigVersion> load(ReadConnections readers, ConfigEntry asked) {
        GrayRule gray = asked.gray();
        Dialect dialect = readers.dialect();
        return readers.with("reading configuration " + asked.key(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(gray == null ? LOAD : loadGray(gray))) {
                int next = dialect.bindKey(statement, 1, asked.key());
                if (gray != null) {
                    statement.setString(next, gray.name());
                }
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        if (ConfigRow.isOf(dialect, rows, asked.key())) {
                            byte[] utf8 = dialect.utf8(rows, gray == null ? 8 : 9);
                            ContentDigest digest = ContentDigest.of(utf8);
                            ConfigEntry stored = gray == null
                                    ? ConfigEntries.entry(dialect, rows, digest)
                                    : ConfigEntries.grayEntry(
                                            dialect, TableNames.grayOf(gray), rows, digest, asked.type());
                            return Optional.of(new ConfigVersion(stored, utf8));
                        }
                    }
                    return Optional.empty();
                }
            }
        });
    }

    private static String loadGray(GrayRule rule) {
        return ConfigEntries.SELECT_GRAY + ", content FROM " + TableNames.grayOf(rule) + ConfigEntries.OF_KEY
                + " AND gray_name = ?";
    }

    @Override
    public Map<ConfigEntry, ConfigVersion> loadTogether(Collection<ConfigEntry> entries) {
        Map<ConfigEntry, ConfigVersion> found = new HashMap<>();
        List<ConfigEntry> wanted = new ArrayList<>(entries.size());
        for (ConfigEntry each : entries) {
            Optional<ConfigVersion> copy = copies.apply(each);
            if (copy.isPresent()) {
                found.put(each, copy.get());
            } else if (each.gray() == null) {
                wanted.add(each);
            }
        }
        found.putAll(loadTogether(readers, wanted));
        return found;
    }

    /** As {@link ConfigStore#loadTogether}, of formal releases, from that database. */
    public static Map<ConfigEntry, ConfigVersion> loadTogether(ReadConnections readers, List<ConfigEntry> wanted) {
        Map<ConfigEntry, ConfigVersion> found = new HashMap<>();
        if (wanted.isEmpty()) {
            return found;
        }
        String purpose = "reading configuration " + wanted.get(0).key()
                + (wanted.size() == 1 ? "" : " and " + (wanted.size() - 1) + " more");
        return readers.withStatements(purpose, statements -> {
            Dialect dialect = readers.dialect();
            if (wanted.size() == 1) {
                loadOne(dialect, statements, wanted.get(0), found);
            } else if (dialect.gathersPublishes()) {
                loadAtOnce(dialect, statements, wanted, found);
            } else {
                loadOneByOne(readers, statements, wanted, found);
            }
            return found;
        });
    }

    /** Without a network, many statements cost no more than one with many conditions. */
    private static void loadOneByOne(
            ReadConnections readers,
            KeptStatements statements,
            List<ConfigEntry> wanted,
            Map<ConfigEntry, ConfigVersion> found)
            throws SQLException {
        // While this result is open, SQLite holds the readers' lock; else each statement takes and releases it.
        try (ResultSet moment = statements.prepared(ConfigEntries.REVISION).executeQuery()) {
            moment.next();
            long bytes = 0;
            for (int i = 0; i < wanted.size() && bytes < MAX_BYTES_TOGETHER; i++) {
                bytes += loadUnlessDamaged(readers, statements, wanted.get(i), found);
            }
        }
    }

    /** One on a damaged page is not found here: the other readers get theirs. */
    private static int loadUnlessDamaged(
            ReadConnections readers,
            KeptStatements statements,
            ConfigEntry asked,
            Map<ConfigEntry, ConfigVersion> found)
            throws SQLException {
        try {
            return loadOne(readers.dialect(), statements, asked, found);
        } catch (SQLException e) {
            if (readers.damage().note(readers.dialect(), e)) {
                return 0;
            }
            throw e;
        }
    }

    private static int loadOne(
            Dialect dialect, KeptStatements statements, ConfigEntry asked, Map<ConfigEntry, ConfigVersion> found)
            throws SQLException {
        int bytes = asked.row() == 0 ? 0 : loadRow(dialect, statements, asked, found);
        if (found.containsKey(asked)) {
            return bytes;
        }
        PreparedStatement load = statements.prepared(LOAD_VERSION);
        dialect.bindKey(load, 1, asked.key());
        try (ResultSet rows = load.executeQuery()) {
            return rows.next() ? keepIfSame(dialect, rows, asked, found) : 0;
        }
    }

    /** Half the work of a search by key, which follows for a changed or removed row. */
    private static int loadRow(
            Dialect dialect, KeptStatements statements, ConfigEntry asked, Map<ConfigEntry, ConfigVersion> found)
            throws SQLException {
        PreparedStatement load = statements.prepared(LOAD_ROW);
        load.setLong(1, asked.row());
        try (ResultSet rows = load.executeQuery()) {
            if (!rows.next()) {
                return 0;
            }
            byte[] utf8 = dialect.utf8(rows, 1);
            if (ContentDigest.of(utf8).equals(asked.digest())) {
                found.put(asked, new ConfigVersion(asked, utf8));
            }
            return utf8.length;
        }
    }

    private static void loadAtOnce(
            Dialect dialect, KeptStatements statements, List<ConfigEntry> wanted, Map<ConfigEntry, ConfigVersion> found)
            throws SQLException {
        Map<ConfigKey, ConfigEntry> byKey = new HashMap<>();
        for (ConfigEntry each : wanted) {
            byKey.put(each.key(), each);
        }
        LOAD_VERSIONS.forEach(wanted, (sql, some) -> {
            PreparedStatement load = statements.prepared(sql);
            int next = 1;
            for (ConfigEntry each : some) {
                next = dialect.bindKey(load, next, each.key());
            }
            try (ResultSet rows = load.executeQuery()) {
                while (rows.next()) {
                    // A row whose key differs in case is another one.
                    ConfigEntry asked = byKey.get(new ConfigKey(
                            Namespace.ofNullable(rows.getString(7)), rows.getString(6), rows.getString(5)));
                    if (asked != null) {
                        keepIfSame(dialect, rows, asked, found);
                    }
                }
            }
        });
    }

    /** Keeps the read content of this version; returns its length. */
    private static int keepIfSame(
            Dialect dialect, ResultSet rows, ConfigEntry asked, Map<ConfigEntry, ConfigVersion> found)
            throws SQLException {
        byte[] utf8 = dialect.utf8(rows, 4);
        String encryptedDataKey = rows.getString(3);
        if (ContentDigest.of(utf8).equals(asked.digest())
                && dialect.time(rows, 2) == asked.lastModifiedMillis()
                && ConfigType.ofWireName(rows.getString(1)) == asked.type()
                && asked.encryptedDataKey().equals(encryptedDataKey == null ? "" : encryptedDataKey)) {
            found.put(asked, new ConfigVersion(asked, utf8));
        }
        return utf8.length;
    }

    public void ping() {
        readers.with("asking whether the database answers", ConfigEntries::revision);
    }

    public static long revision(ReadConnections readers) {
        return readers.with("reading the last revision", ConfigEntries::revision);
    }
}

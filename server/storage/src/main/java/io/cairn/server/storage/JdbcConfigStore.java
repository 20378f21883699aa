package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import java.nio.charset.StandardCharsets;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Configurations in the tables of Nacos. Thread-safe. */
public final class JdbcConfigStore implements ConfigStore {

    /** The table of what all clients get. */
    static final String FORMAL = "config_info";
    /** The table of what some clients get. */
    static final String GRAY = "config_info_gray";

    static final String SELECT_ENTRY =
            "SELECT data_id, group_id, tenant_id, md5, type, gmt_modified, encrypted_data_key";
    static final String SELECT_GRAY =
            "SELECT data_id, group_id, tenant_id, md5, gray_name, gmt_modified, encrypted_data_key, gray_rule";
    private static final String REVISION = "SELECT value FROM cairn_revision WHERE id = 1";
    static final String OF_KEY = " WHERE data_id = ? AND group_id = ? AND tenant_id = ?";
    private static final String LOAD = SELECT_ENTRY + ", content FROM config_info" + OF_KEY;
    private static final String LOAD_GRAY =
            SELECT_GRAY + ", content FROM config_info_gray" + OF_KEY + " AND gray_name = ?";
    /** The columns that differ between versions of one configuration, before the content. */
    private static final String VERSION = "type, gmt_modified, encrypted_data_key, ";

    private static final String LOAD_VERSION = "SELECT " + VERSION + "content FROM config_info" + OF_KEY;
    /** The content alone: its digest says whether it is that of the version. */
    private static final String LOAD_ROW = "SELECT content FROM config_info WHERE id = ?";
    /** Reads several, without large contents. */
    private static final RepeatedSql LOAD_VERSIONS = new RepeatedSql(
            "SELECT " + VERSION + "CASE WHEN LENGTH(content) <= " + ConfigRow.LARGEST_READ_BYTES
                    + " THEN content END, data_id, group_id, tenant_id FROM config_info WHERE (",
            "(data_id = ? AND group_id = ? AND tenant_id = ?)",
            " OR ",
            ")");
    /** So many bytes of contents are read together; what is left is read singly. */
    private static final int MAX_BYTES_TOGETHER = 4 << 20;

    private static final Logger log = LoggerFactory.getLogger(JdbcConfigStore.class);

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final CapacityCheck capacity;
    private final int maxGrayReleases;
    private final CommitObserver observer;
    private final Function<ConfigEntry, Optional<ConfigVersion>> copies;

    /** @param maxGrayReleases that a configuration may have */
    public JdbcConfigStore(
            StoreWriter writer,
            ReadConnections readers,
            CapacityCheck capacity,
            int maxGrayReleases,
            CommitObserver observer) {
        this(writer, readers, capacity, maxGrayReleases, observer, asked -> Optional.empty());
    }

    /**
     * @param maxGrayReleases that a configuration may have
     * @param copies asked first for the content of an entry; hands out what it has of exactly that version
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

    /** As {@link ConfigStore#forEachEntry}, for those who come before there is a store. */
    public static void forEachEntry(ReadConnections readers, Consumer<ConfigEntry> consumer) {
        Dialect dialect = readers.dialect();
        int found = readers.with("reading the list of configurations", connection -> {
            Map<ConfigKey, ConfigType> types = new HashMap<>();
            int count =
                    forEachFormal(dialect, connection, consumer.andThen(entry -> types.put(entry.key(), entry.type())));
            return count + forEachGray(dialect, connection, types, consumer);
        });
        log.debug("{} configurations and gray releases are stored", found);
    }

    private static int forEachFormal(Dialect dialect, Connection connection, Consumer<ConfigEntry> consumer)
            throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement(SELECT_ENTRY + ", id FROM config_info ORDER BY id");
                ResultSet rows = statement.executeQuery()) {
            int count = 0;
            while (rows.next()) {
                if (dialect.isOtherDefault(rows.getString(3))) {
                    continue;
                }
                ConfigEntry entry;
                try {
                    long id = rows.getLong(8);
                    entry = entry(dialect, rows, digest(connection, FORMAL, rows.getString(4), id), id);
                } catch (IllegalArgumentException | CairnException e) {
                    leftOut(FORMAL, rows.getLong(8), e);
                    continue;
                }
                count++;
                consumer.accept(entry);
            }
            return count;
        }
    }

    /** Gray rows have no type of their own; their answers carry the one of the configuration. */
    private static int forEachGray(
            Dialect dialect, Connection connection, Map<ConfigKey, ConfigType> types, Consumer<ConfigEntry> consumer)
            throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement(SELECT_GRAY + ", id FROM config_info_gray ORDER BY id");
                ResultSet rows = statement.executeQuery()) {
            int count = 0;
            while (rows.next()) {
                if (dialect.isOtherDefault(rows.getString(3))) {
                    continue;
                }
                ConfigEntry entry;
                try {
                    ContentDigest digest = digest(connection, GRAY, rows.getString(4), rows.getLong(9));
                    ConfigType type = types.getOrDefault(key(rows), ConfigType.TEXT);
                    entry = grayEntry(dialect, rows, digest, type);
                } catch (IllegalArgumentException | CairnException e) {
                    leftOut(GRAY, rows.getLong(9), e);
                    continue;
                }
                count++;
                consumer.accept(entry);
            }
            return count;
        }
    }

    /** One row of another program that nothing can be made of must not keep the server from starting. */
    private static void leftOut(String table, long id, RuntimeException cause) {
        log.warn("Row {} of {} is left out: {}", id, table, cause.getMessage());
    }

    /** The digest of a row with that md5. A row that another program wrote may have none: then that of its content. */
    static ContentDigest digest(Connection connection, String table, @Nullable String md5, long id)
            throws SQLException {
        Optional<ContentDigest> stored = ContentDigest.parse(md5);
        return stored.isPresent() ? stored.get() : digestOfContent(connection, table, id);
    }

    private static ContentDigest digestOfContent(Connection connection, String table, long id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT content FROM " + table + " WHERE id = ?")) {
            statement.setLong(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                String content = rows.next() ? rows.getString(1) : null;
                return ContentDigest.of(content == null ? "" : content);
            }
        }
    }

    @Override
    public Optional<ConfigVersion> load(ConfigEntry asked) {
        Optional<ConfigVersion> copy = copies.apply(asked);
        return copy.isPresent() ? copy : load(readers, asked);
    }

    /** As {@link ConfigStore#load}, from that database. */
    static Optional<ConfigVersion> load(ReadConnections readers, ConfigEntry asked) {
        GrayRule gray = asked.gray();
        Dialect dialect = readers.dialect();
        return readers.with("reading configuration " + asked.key(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(gray == null ? LOAD : LOAD_GRAY)) {
                int next = dialect.bindKey(statement, 1, asked.key());
                if (gray != null) {
                    statement.setString(next, gray.name());
                }
                try (ResultSet rows = statement.executeQuery()) {
                    if (!rows.next()) {
                        return Optional.empty();
                    }
                    byte[] utf8 = rows.getString("content").getBytes(StandardCharsets.UTF_8);
                    ContentDigest digest = ContentDigest.of(utf8);
                    ConfigEntry stored = gray == null
                            ? entry(dialect, rows, digest)
                            : grayEntry(dialect, rows, digest, asked.type());
                    return Optional.of(new ConfigVersion(stored, utf8));
                }
            }
        });
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
    static Map<ConfigEntry, ConfigVersion> loadTogether(ReadConnections readers, List<ConfigEntry> wanted) {
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
                loadOneByOne(dialect, statements, wanted, found);
            }
            return found;
        });
    }

    /** Without a network between, many statements cost no more than one with many conditions. */
    private static void loadOneByOne(
            Dialect dialect, KeptStatements statements, List<ConfigEntry> wanted, Map<ConfigEntry, ConfigVersion> found)
            throws SQLException {
        // As long as this result is open, SQLite holds the lock of the readers; else each statement takes it and gives
        // it back.
        try (ResultSet moment = statements.prepared(REVISION).executeQuery()) {
            moment.next();
            long bytes = 0;
            for (int i = 0; i < wanted.size() && bytes < MAX_BYTES_TOGETHER; i++) {
                bytes += loadOne(dialect, statements, wanted.get(i), found);
            }
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

    /** Half the work of a search by key. A row that has changed or gone since is searched for. */
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
                    // A row whose key differs in upper and lower case is another one.
                    ConfigEntry asked = byKey.get(new ConfigKey(
                            Namespace.ofNullable(rows.getString(7)), rows.getString(6), rows.getString(5)));
                    if (asked != null) {
                        keepIfSame(dialect, rows, asked, found);
                    }
                }
            }
        });
    }

    /** Keeps the row's content if it was read and is that of this version; returns its length. */
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

    static ConfigKey key(ResultSet rows) throws SQLException {
        String group = rows.getString(2);
        String dataId = rows.getString(1);
        // Older tables of Nacos allow NULL in the group.
        if (group == null || dataId == null) {
            throw new IllegalArgumentException("group: " + group + ", dataId: " + dataId + " (expected: not null)");
        }
        return new ConfigKey(Namespace.ofNullable(rows.getString(3)), group, dataId);
    }

    static ConfigEntry entry(Dialect dialect, ResultSet rows, ContentDigest digest) throws SQLException {
        return entry(dialect, rows, digest, 0);
    }

    private static ConfigEntry entry(Dialect dialect, ResultSet rows, ContentDigest digest, long row)
            throws SQLException {
        String encryptedDataKey = rows.getString(7);
        return new ConfigEntry(
                key(rows),
                digest,
                ConfigType.ofWireName(rows.getString(5)),
                dialect.time(rows, 6),
                encryptedDataKey == null ? "" : encryptedDataKey,
                null,
                row);
    }

    static ConfigEntry grayEntry(Dialect dialect, ResultSet rows, ContentDigest digest, ConfigType type)
            throws SQLException {
        String encryptedDataKey = rows.getString(7);
        return new ConfigEntry(
                key(rows),
                digest,
                type,
                dialect.time(rows, 6),
                encryptedDataKey == null ? "" : encryptedDataKey,
                GrayRule.read(rows.getString(5), rows.getString(8)));
    }

    /** Tells the reader whether the database answers. */
    public void ping() {
        readers.with("asking whether the database answers", JdbcConfigStore::revision);
    }

    /** The last revision that the database has given out. Blocks. */
    public static long revision(ReadConnections readers) {
        return readers.with("reading the last revision", JdbcConfigStore::revision);
    }

    static long revision(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(REVISION);
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
            }
            return rows.getLong(1);
        }
    }
}

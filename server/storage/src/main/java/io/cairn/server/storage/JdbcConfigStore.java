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
import java.util.HashMap;
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
    static final String OF_KEY = " WHERE data_id = ? AND group_id = ? AND tenant_id = ?";
    private static final String LOAD = SELECT_ENTRY + ", content FROM config_info" + OF_KEY;
    private static final String LOAD_GRAY =
            SELECT_GRAY + ", content FROM config_info_gray" + OF_KEY + " AND gray_name = ?";
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
                    entry = entry(dialect, rows, digest(connection, FORMAL, rows.getString(4), rows.getLong(8)));
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
        String encryptedDataKey = rows.getString(7);
        return new ConfigEntry(
                key(rows),
                digest,
                ConfigType.ofWireName(rows.getString(5)),
                dialect.time(rows, 6),
                encryptedDataKey == null ? "" : encryptedDataKey,
                null);
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
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT value FROM cairn_revision WHERE id = 1");
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
            }
            return rows.getLong(1);
        }
    }
}

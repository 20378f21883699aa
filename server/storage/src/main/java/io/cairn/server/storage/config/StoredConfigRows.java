package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.config.RowSource;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Configurations by key: many in one statement without large contents, and each of those by its own. Holds only the keys between
 * two calls. For one thread at a time.
 */
final class StoredConfigRows implements RowSource<StoredConfig> {

    /** For one row. */
    static final String KEY = "(data_id = ? AND group_id = ? AND tenant_id = ?)";

    /** Rows of one statement. */
    private static final int TOGETHER = 100;
    /** Rows are passed on from so many bytes of contents on. */
    private static final long ENOUGH_BYTES = 512 * 1024;

    private static final String COLUMNS = "SELECT id, data_id, group_id, tenant_id, md5, type, app_name,"
            + " encrypted_data_key, gmt_create, gmt_modified, src_user, src_ip, c_desc, c_use, effect, c_schema";
    private static final int CONTENT = 17;
    private static final int BYTES = 18;
    private static final String FROM = " FROM config_info WHERE ";
    private static final String WITHOUT_CONTENT = COLUMNS + FROM;
    private static final String WITH_CONTENT = COLUMNS + ", content" + FROM + KEY;
    private static final String TAGS = "SELECT id, tag_name FROM config_tags_relation WHERE ";

    private final ReadConnections readers;
    private final Dialect dialect;
    private final List<ConfigKey> keys;
    private final boolean withContents;
    private final String withSmallContents;
    private int next;
    private int together = TOGETHER;
    /** The next content's length, without room for it. */
    private long refused;

    StoredConfigRows(ReadConnections readers, List<ConfigKey> keys, boolean withContents) {
        this.readers = readers;
        this.dialect = readers.dialect();
        this.keys = keys;
        this.withContents = withContents;
        String bytes = dialect.bytesOf("content");
        this.withSmallContents =
                COLUMNS + ", CASE WHEN " + bytes + " <= " + SMALL_BYTES + " THEN content END, " + bytes + FROM;
    }

    /** The condition for several values. */
    static String anyOf(String condition, int values) {
        return String.join(" OR ", Collections.nCopies(values, condition));
    }

    /** @param bytes of a content left out; else 0 */
    private record Row(StoredConfig config, long bytes) {}

    @Override
    public List<StoredConfig> next(MemoryLease lease) {
        List<StoredConfig> passed = List.of();
        while (passed.isEmpty() && next < keys.size()) {
            refused = 0;
            passed = readers.with("reading configurations", connection -> read(connection, lease));
            if (passed.isEmpty() && refused > 0) {
                throw lease.refusedContent(refused);
            }
        }
        return passed;
    }

    @Override
    public boolean isReady() {
        return next == keys.size();
    }

    private List<StoredConfig> read(Connection connection, MemoryLease lease) throws SQLException {
        List<ConfigKey> some = keys.subList(next, Math.min(keys.size(), next + together));
        Map<ConfigKey, Row> found = found(connection, some);
        List<StoredConfig> passed = new ArrayList<>(some.size());
        int from = next;
        long bytes = 0;
        for (ConfigKey key : some) {
            Row row = found.get(key);
            if (row != null && row.bytes > 0) {
                boolean isEnough = !passed.isEmpty() && bytes + row.bytes > ENOUGH_BYTES;
                if (isEnough || !lease.tryReserveContent(row.bytes)) {
                    // Not thrown here: that would cost the connection.
                    refused = row.bytes;
                    break;
                }
                bytes += row.bytes;
            }
            StoredConfig config = row == null || row.bytes == 0 ? configOf(row) : whole(connection, row.config);
            if (config != null) {
                passed.add(config);
            }
            next++;
        }
        // As many as can be passed on.
        together = Math.min(TOGETHER, 1 + 2 * (next - from));
        return passed;
    }

    private static @Nullable StoredConfig configOf(@Nullable Row row) {
        return row == null ? null : row.config;
    }

    private Map<ConfigKey, Row> found(Connection connection, List<ConfigKey> some) throws SQLException {
        Map<ConfigKey, Row> found = new HashMap<>();
        String sql = (withContents ? withSmallContents : WITHOUT_CONTENT) + anyOf(KEY, some.size());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int at = 1;
            for (ConfigKey key : some) {
                at = dialect.bindKey(statement, at, key);
            }
            try (ResultSet rows = statement.executeQuery()) {
                LeftOutRows.Reading reading = readers.leftOut().some(TableNames.FORMAL);
                while (rows.next()) {
                    reading.read(rows, this::row, 1).ifPresent(row -> found.put(row.config.key(), row));
                }
            }
        }
        if (!found.isEmpty()) {
            Map<Long, List<String>> tags = tags(connection, found);
            for (Map.Entry<ConfigKey, Row> each : found.entrySet()) {
                Row row = each.getValue();
                List<String> own = tags.get(row.config.id());
                if (own != null) {
                    each.setValue(new Row(row.config.withTags(own), row.bytes));
                }
            }
        }
        return found;
    }

    private Row row(ResultSet row) throws SQLException {
        if (!withContents) {
            return new Row(config(row, null), 0);
        }
        String content = row.getString(CONTENT);
        long bytes = row.getLong(BYTES);
        return bytes <= SMALL_BYTES ? new Row(config(row, text(content)), 0) : new Row(config(row, content), bytes);
    }

    /** With its content; null if deleted meanwhile. */
    private @Nullable StoredConfig whole(Connection connection, StoredConfig known) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WITH_CONTENT)) {
            dialect.bindKey(statement, 1, known.key());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (rows.getLong(1) == known.id()) {
                        return config(rows, text(rows.getString(CONTENT))).withTags(known.tags());
                    }
                }
                return null;
            }
        }
    }

    private StoredConfig config(ResultSet rows, @Nullable String content) throws SQLException {
        String md5 = rows.getString(5);
        return new StoredConfig(
                rows.getLong(1),
                RowRules.key(rows, 2, 3, 4),
                content,
                // Another program's row may have no md5.
                md5 == null && content != null ? ContentDigest.of(content).toString() : text(md5),
                text(rows.getString(8)),
                text(rows.getString(7)),
                ConfigType.ofWireName(rows.getString(6)),
                Instant.ofEpochMilli(dialect.time(rows, 9)),
                Instant.ofEpochMilli(dialect.time(rows, 10)),
                rows.getString(11),
                rows.getString(12),
                rows.getString(13),
                rows.getString(14),
                rows.getString(15),
                rows.getString(16),
                List.of());
    }

    private static Map<Long, List<String>> tags(Connection connection, Map<ConfigKey, Row> configs)
            throws SQLException {
        Map<Long, List<String>> tags = new HashMap<>();
        try (PreparedStatement statement =
                connection.prepareStatement(TAGS + anyOf("id = ?", configs.size()) + " ORDER BY nid")) {
            int at = 1;
            for (Row row : configs.values()) {
                statement.setLong(at++, row.config.id());
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    tags.computeIfAbsent(rows.getLong(1), config -> new ArrayList<>())
                            .add(rows.getString(2));
                }
            }
        }
        return tags;
    }

    private static String text(@Nullable String column) {
        return column == null ? "" : column;
    }
}

package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.Page;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryOperation;
import io.cairn.server.config.history.HistoryStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The history in the table of Nacos. Thread-safe. */
public final class JdbcHistoryStore implements HistoryStore {

    private static final String WITHOUT_CONTENT = "SELECT nid, id, data_id, group_id, tenant_id, op_type, publish_type,"
            + " gray_name, app_name, md5, encrypted_data_key, ext_info, src_user, src_ip, gmt_modified";
    private static final int CONTENT = 16;
    private static final String WITH_CONTENT = WITHOUT_CONTENT + ", content";
    private static final String OF_KEY = " FROM his_config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?";
    private static final String FORMAL = " AND (publish_type IS NULL OR publish_type <> 'gray')";
    private static final String COUNT = "SELECT COUNT(*)" + OF_KEY;
    private static final String LIST = WITHOUT_CONTENT + OF_KEY + " ORDER BY nid DESC LIMIT ? OFFSET ?";
    private static final String FIND = WITH_CONTENT + " FROM his_config_info WHERE nid = ?";
    private static final String NEWEST = WITH_CONTENT + OF_KEY + FORMAL + " AND id = ? ORDER BY nid DESC LIMIT 1";
    /** By the names of the row that is there, for there is no index by its id. */
    private static final String NEWEST_OF_ROW = WITH_CONTENT
            + " FROM his_config_info WHERE (data_id, group_id, tenant_id) ="
            + " (SELECT data_id, group_id, tenant_id FROM config_info WHERE id = ?)"
            + FORMAL + " AND id = ? ORDER BY nid DESC LIMIT 1";

    private static final String OLDEST_AFTER =
            WITH_CONTENT + OF_KEY + FORMAL + " AND gmt_modified > ? ORDER BY nid LIMIT 1";

    private static final String NEXT = WITH_CONTENT + OF_KEY + FORMAL + " AND nid > ? ORDER BY nid LIMIT 1";

    private final StoreWriter writer;
    private final ReadConnections readers;

    public JdbcHistoryStore(StoreWriter writer, ReadConnections readers) {
        this.writer = writer;
        this.readers = readers;
    }

    @Override
    public Page<HistoryEntry> list(ConfigKey key, PageRequest page) {
        return readers.with("reading the history of " + key, connection -> {
            long total = count(connection, key);
            List<HistoryEntry> entries = new ArrayList<>();
            if (page.offset() < total) {
                try (PreparedStatement statement = connection.prepareStatement(LIST)) {
                    int at = readers.dialect().bindKey(statement, 1, key);
                    statement.setInt(at++, page.size());
                    statement.setLong(at, page.offset());
                    try (ResultSet rows = statement.executeQuery()) {
                        while (rows.next()) {
                            entries.add(entry(rows, null));
                        }
                    }
                }
            }
            return Page.of(page, total, entries);
        });
    }

    private long count(Connection connection, ConfigKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
            readers.dialect().bindKey(statement, 1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }

    @Override
    public Optional<HistoryEntry> find(long id) {
        return one("reading history entry " + id, FIND, statement -> statement.setLong(1, id));
    }

    @Override
    public Optional<HistoryEntry> newest(ConfigKey key, long configId) {
        return one(
                "reading the history of " + key,
                NEWEST,
                statement -> statement.setLong(readers.dialect().bindKey(statement, 1, key), configId));
    }

    @Override
    public Optional<HistoryEntry> newestOfRow(long configId) {
        return one("reading the history of row " + configId, NEWEST_OF_ROW, statement -> {
            statement.setLong(1, configId);
            statement.setLong(2, configId);
        });
    }

    @Override
    public Optional<HistoryEntry> oldestAfter(ConfigKey key, Instant time) {
        return one("reading the history of " + key, OLDEST_AFTER, statement -> readers.dialect()
                .bindTime(statement, readers.dialect().bindKey(statement, 1, key), time.toEpochMilli()));
    }

    @Override
    public Optional<HistoryEntry> next(ConfigKey key, long id) {
        return one(
                "reading the history of " + key,
                NEXT,
                statement -> statement.setLong(readers.dialect().bindKey(statement, 1, key), id));
    }

    @Override
    public CompletionStage<Integer> forget(Instant before, int limit) {
        return writer.submit(new ForgetHistoryCommand(before, limit));
    }

    /** Sets the parameters of a statement. */
    private interface Binder {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private Optional<HistoryEntry> one(String purpose, String sql, Binder binder) {
        return readers.with(purpose, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                binder.bind(statement);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(entry(rows, rows.getString(CONTENT))) : Optional.empty();
                }
            }
        });
    }

    private HistoryEntry entry(ResultSet rows, @Nullable String content) throws SQLException {
        boolean isGray = "gray".equals(rows.getString(7));
        return new HistoryEntry(
                rows.getLong(1),
                rows.getLong(2),
                new ConfigKey(Namespace.ofNullable(rows.getString(5)), rows.getString(4), rows.getString(3)),
                HistoryOperation.ofLetter(text(rows.getString(6))),
                isGray ? text(rows.getString(8)) : null,
                text(rows.getString(9)),
                content,
                rows.getString(10),
                text(rows.getString(11)),
                rows.getString(12),
                rows.getString(13),
                rows.getString(14),
                Instant.ofEpochMilli(readers.dialect().time(rows, 15)));
    }

    private static String text(@Nullable String column) {
        return column == null ? "" : column;
    }
}

package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.RowSource;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryOperation;
import io.cairn.server.config.history.HistoryStore;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.writer.StoreWriter;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

public final class JdbcHistoryStore implements HistoryStore {

    private static final String COLUMNS = "SELECT nid, id, data_id, group_id, tenant_id, op_type, publish_type,"
            + " gray_name, app_name, md5, encrypted_data_key, ext_info, src_user, src_ip, gmt_modified";
    private static final int CONTENT = 16;
    private static final int BYTES = 17;
    /** Rows of one statement, without contents. */
    private static final int ROWS_TOGETHER = 200;

    private static final String OF_KEY = " FROM his_config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?";
    private static final String FORMAL = " AND (publish_type IS NULL OR publish_type <> 'gray')";
    private static final String COUNT = "SELECT COUNT(*)" + OF_KEY;
    private static final String FIRST_ROWS = COLUMNS + OF_KEY + " ORDER BY nid DESC LIMIT ? OFFSET ?";
    private static final String NEXT_ROWS = COLUMNS + OF_KEY + " AND nid < ? ORDER BY nid DESC LIMIT ?";
    private static final String OF_NUMBER = " FROM his_config_info WHERE nid = ?";
    private static final String NEWEST = OF_KEY + FORMAL + " AND id = ? ORDER BY nid DESC LIMIT 1";
    /** By the present row's names, because its id has no index. */
    private static final String NEWEST_OF_ROW = " FROM his_config_info WHERE (data_id, group_id, tenant_id) ="
            + " (SELECT data_id, group_id, tenant_id FROM config_info WHERE id = ?)"
            + FORMAL + " AND id = ? ORDER BY nid DESC LIMIT 1";

    private static final String OLDEST = "SELECT gmt_modified" + OF_KEY + FORMAL + " ORDER BY nid LIMIT 1";
    private static final String OLDEST_AFTER = OF_KEY + FORMAL + " AND gmt_modified > ? ORDER BY nid LIMIT 1";
    private static final String AFTER = OF_KEY + FORMAL + " AND nid > ? ORDER BY nid LIMIT 1";

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final String withSmallContent;

    public JdbcHistoryStore(StoreWriter writer, ReadConnections readers) {
        this.writer = writer;
        this.readers = readers;
        String bytes = readers.dialect().bytesOf("content");
        this.withSmallContent =
                COLUMNS + ", CASE WHEN " + bytes + " <= " + RowSource.SMALL_BYTES + " THEN content END, " + bytes;
    }

    @Override
    public long count(ConfigKey key) {
        return readers.with("reading the history of " + key, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
                readers.dialect().bindKey(statement, 1, key);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? rows.getLong(1) : 0L;
                }
            }
        });
    }

    @Override
    public RowSource<HistoryEntry> list(ConfigKey key, PageRequest page) {
        return new HistoryRows(key, page);
    }

    /** A page's rows, which concurrent changes do not move. */
    private final class HistoryRows implements RowSource<HistoryEntry> {

        private final ConfigKey key;
        private final long offset;
        private int left;
        private long before;

        HistoryRows(ConfigKey key, PageRequest page) {
            this.key = key;
            this.offset = page.offset();
            this.left = page.size();
        }

        @Override
        public List<HistoryEntry> next(MemoryLease lease) {
            List<HistoryEntry> some = List.of();
            // A part may consist of left out rows.
            while (some.isEmpty() && left > 0) {
                some = read(Math.min(left, ROWS_TOGETHER));
            }
            return some;
        }

        @Override
        public boolean isReady() {
            return left == 0;
        }

        private List<HistoryEntry> read(int size) {
            return readers.with("reading the history of " + key, connection -> {
                try (PreparedStatement statement = connection.prepareStatement(before == 0 ? FIRST_ROWS : NEXT_ROWS)) {
                    int at = readers.dialect().bindKey(statement, 1, key);
                    if (before == 0) {
                        statement.setInt(at++, size);
                        statement.setLong(at, offset);
                    } else {
                        statement.setLong(at++, before);
                        statement.setInt(at, size);
                    }
                    List<HistoryEntry> entries = new ArrayList<>(size);
                    LeftOutRows.Reading reading = readers.leftOut().some(TableNames.HISTORY);
                    int found = 0;
                    try (ResultSet rows = statement.executeQuery()) {
                        while (rows.next()) {
                            found++;
                            before = RowRules.clamped(rows, 1);
                            reading.read(rows, row -> entry(row, null), 1).ifPresent(entries::add);
                        }
                    }
                    left = found < size ? 0 : left - size;
                    return entries;
                }
            });
        }
    }

    @Override
    public Optional<HistoryEntry> find(long id, MemoryLease lease) {
        return one("reading history entry " + id, OF_NUMBER, statement -> statement.setLong(1, id), lease);
    }

    @Override
    public Optional<HistoryEntry> newest(ConfigKey key, long configId, MemoryLease lease) {
        return one(
                "reading the history of " + key,
                NEWEST,
                statement -> statement.setLong(readers.dialect().bindKey(statement, 1, key), configId),
                lease);
    }

    @Override
    public Optional<HistoryEntry> newestOfRow(long configId, MemoryLease lease) {
        Binder binder = statement -> {
            statement.setLong(1, configId);
            statement.setLong(2, configId);
        };
        return one("reading the history of row " + configId, NEWEST_OF_ROW, binder, lease);
    }

    @Override
    public Optional<Instant> oldest(ConfigKey key) {
        return readers.with("reading the history of " + key, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(OLDEST)) {
                readers.dialect().bindKey(statement, 1, key);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? Optional.of(Instant.ofEpochMilli(readers.dialect().time(rows, 1)))
                            : Optional.empty();
                }
            }
        });
    }

    @Override
    public Optional<HistoryEntry> oldestAfter(ConfigKey key, Instant time, MemoryLease lease) {
        Binder binder = statement -> readers.dialect()
                .bindTime(statement, readers.dialect().bindKey(statement, 1, key), time.toEpochMilli());
        return one("reading the history of " + key, OLDEST_AFTER, binder, lease);
    }

    @Override
    public Optional<HistoryEntry> next(ConfigKey key, long id, MemoryLease lease) {
        Binder binder = statement -> statement.setLong(readers.dialect().bindKey(statement, 1, key), id);
        return one("reading the history of " + key, AFTER, binder, lease);
    }

    @Override
    public CompletionStage<Integer> forget(Instant before, int limit) {
        return writer.submit(new ForgetHistoryCommand(before, limit));
    }

    private interface Binder {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /** @param bytes of a content left out; else 0 */
    private record Found(HistoryEntry entry, long bytes) {}

    /** The first entry; reads a large content with room for it. */
    private Optional<HistoryEntry> one(String purpose, String from, Binder binder, MemoryLease lease) {
        Optional<Found> found = first(purpose, withSmallContent + from, binder, rows -> {
            long bytes = rows.getLong(BYTES);
            return new Found(entry(rows, rows.getString(CONTENT)), bytes > RowSource.SMALL_BYTES ? bytes : 0);
        });
        if (found.isEmpty() || found.get().bytes == 0) {
            return found.map(Found::entry);
        }
        lease.reserveContent(found.get().bytes);
        // The row never changes, so its number finds the same one.
        long id = found.get().entry.id();
        return first(
                purpose,
                COLUMNS + ", content" + OF_NUMBER,
                statement -> statement.setLong(1, id),
                rows -> entry(rows, rows.getString(CONTENT)));
    }

    private <T> Optional<T> first(String purpose, String sql, Binder binder, LeftOutRows.RowReader<T> reader) {
        return readers.with(purpose, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                binder.bind(statement);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? readers.leftOut().some(TableNames.HISTORY).read(rows, reader, 1)
                            : Optional.empty();
                }
            }
        });
    }

    private HistoryEntry entry(ResultSet rows, @Nullable String content) throws SQLException {
        boolean isGray = "gray".equals(rows.getString(7));
        return new HistoryEntry(
                rows.getLong(1),
                // A number for users, of a row that may be gone.
                RowRules.clamped(rows, 2),
                RowRules.key(rows, 3, 4, 5),
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

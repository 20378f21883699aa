package io.cairn.server.storage;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Deletes a few of the history's rows that are too old. That has no followers, so it takes no revision. */
final class ForgetHistoryCommand implements StoreCommand<Integer> {

    private static final String OLDEST =
            "SELECT nid, id FROM his_config_info WHERE gmt_modified < ? ORDER BY gmt_modified, nid LIMIT ?";

    /** Rows that are kept although a later one is old, as after a clock was set back, and read their content from a later one. */
    private static final String SHARING_BEFORE = "SELECT id FROM " + HistoryRow.SHARING_TABLE
            + " WHERE nid < ? AND op_type = 'I' AND content = '' AND gmt_modified >= ?";

    private final Instant before;
    private final int limit;

    ForgetHistoryCommand(Instant before, int limit) {
        this.before = before;
        this.limit = limit;
    }

    @Override
    public Integer execute(WriteTransaction transaction) throws SQLException {
        // Found first and deleted by their key: a DELETE with a limit is not the same in all databases.
        Map<Long, Long> configs = new LinkedHashMap<>();
        PreparedStatement find = transaction.prepared(OLDEST);
        transaction.bindTime(find, 1, before.toEpochMilli());
        find.setInt(2, limit);
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                configs.put(rows.getLong(1), rows.getLong(2));
            }
        }
        if (!configs.isEmpty() && transaction.dialect().sharesInsertedContent()) {
            configs.values().removeAll(sharingBefore(transaction, Collections.max(configs.keySet())));
        }
        List<Long> ids = List.copyOf(configs.keySet());
        if (ids.isEmpty()) {
            return 0;
        }
        // One statement, and always the same one: the last row stands for those that are missing.
        PreparedStatement delete = transaction.prepared("DELETE FROM "
                + transaction.dialect().historyTable() + " WHERE nid IN (?" + ", ?".repeat(limit - 1) + ")");
        for (int i = 0; i < limit; i++) {
            delete.setLong(i + 1, ids.get(Math.min(i, ids.size() - 1)));
        }
        return delete.executeUpdate();
    }

    /** The configurations whose rows are needed by an earlier one. */
    private Set<Long> sharingBefore(WriteTransaction transaction, long last) throws SQLException {
        Set<Long> sharing = new HashSet<>();
        PreparedStatement find = transaction.prepared(SHARING_BEFORE);
        find.setLong(1, last);
        transaction.bindTime(find, 2, before.toEpochMilli());
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                sharing.add(rows.getLong(1));
            }
        }
        return sharing;
    }

    @Override
    public void committed(Integer result) {
        // The view in memory has no history.
    }

    @Override
    public void announce(Integer result) {
        // It has no followers.
    }

    @Override
    public int weightBytes() {
        return 256;
    }
}

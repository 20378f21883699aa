package io.cairn.server.storage.config;

import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
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

/** Deletes a few old rows of the history, without followers and revision. */
final class ForgetHistoryCommand implements StoreCommand<Integer> {

    private static final String OLDEST =
            "SELECT nid, id FROM his_config_info WHERE gmt_modified < ? ORDER BY gmt_modified, nid LIMIT ?";

    /** Rows kept although a later one is old, as after a clock was set back, and which share a later row's content. */
    private static final String SHARING_BEFORE = "SELECT id FROM " + TableNames.SHARING_HISTORY
            + " WHERE nid < ? AND op_type = 'I' AND content = '' AND gmt_modified >= ?";

    private final Instant before;
    private final int limit;

    ForgetHistoryCommand(Instant before, int limit) {
        this.before = before;
        this.limit = limit;
    }

    @Override
    public Integer execute(WriteTransaction transaction) throws SQLException {
        // Found first and deleted by key: databases differ in DELETE with a limit.
        Map<Long, Long> configs = new LinkedHashMap<>();
        PreparedStatement find = transaction.prepared(OLDEST);
        transaction.bindTime(find, 1, before.toEpochMilli());
        find.setInt(2, limit);
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                configs.put(RowRules.clamped(rows, 1), RowRules.clamped(rows, 2));
            }
        }
        if (!configs.isEmpty() && transaction.dialect().sharesInsertedContent()) {
            configs.values().removeAll(sharingBefore(transaction, Collections.max(configs.keySet())));
        }
        List<Long> ids = List.copyOf(configs.keySet());
        if (ids.isEmpty()) {
            return 0;
        }
        // Always the same statement: the last row fills up missing ones.
        PreparedStatement delete = transaction.prepared("DELETE FROM "
                + transaction.dialect().historyTable() + " WHERE nid IN (?" + ", ?".repeat(limit - 1) + ")");
        for (int i = 0; i < limit; i++) {
            delete.setLong(i + 1, ids.get(Math.min(i, ids.size() - 1)));
        }
        return delete.executeUpdate();
    }

    /** The configurations whose rows an earlier one needs. */
    private Set<Long> sharingBefore(WriteTransaction transaction, long last) throws SQLException {
        Set<Long> sharing = new HashSet<>();
        PreparedStatement find = transaction.prepared(SHARING_BEFORE);
        find.setLong(1, last);
        transaction.bindTime(find, 2, before.toEpochMilli());
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                sharing.add(RowRules.clamped(rows, 1));
            }
        }
        return sharing;
    }

    @Override
    public void committed(Integer result) {}

    @Override
    public void announce(Integer result) {}

    @Override
    public int weightBytes() {
        return 256;
    }
}

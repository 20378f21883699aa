package io.cairn.server.storage;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Deletes a few of the history's rows that are too old. That has no followers, so it takes no revision. */
final class ForgetHistoryCommand implements StoreCommand<Integer> {

    private static final String OLDEST =
            "SELECT nid FROM his_config_info WHERE gmt_modified < ?" + " ORDER BY gmt_modified LIMIT ?";

    private final Instant before;
    private final int limit;

    ForgetHistoryCommand(Instant before, int limit) {
        this.before = before;
        this.limit = limit;
    }

    @Override
    public Integer execute(WriteTransaction transaction) throws SQLException {
        // Found first and deleted by their key: a DELETE with a limit is not the same in all databases.
        List<Long> ids = new ArrayList<>();
        PreparedStatement find = transaction.prepared(OLDEST);
        transaction.bindTime(find, 1, before.toEpochMilli());
        find.setInt(2, limit);
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        if (ids.isEmpty()) {
            return 0;
        }
        // One statement, and always the same one: the last row stands for those that are missing.
        PreparedStatement delete =
                transaction.prepared("DELETE FROM his_config_info WHERE nid IN (?" + ", ?".repeat(limit - 1) + ")");
        for (int i = 0; i < limit; i++) {
            delete.setLong(i + 1, ids.get(Math.min(i, ids.size() - 1)));
        }
        return delete.executeUpdate();
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

package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/** Rows of {@code cairn_change}, the log that machines follow. */
final class ChangeRow {

    private static final String INSERT = "INSERT INTO cairn_change"
            + " (revision, batch, kind, op_type, data_id, group_id, tenant_id, md5, changed_at)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

    /** The kind of a change of what all clients get. */
    static final String CONFIG = "config";
    /** The kind of a change of what some clients get. */
    static final String GRAY = "gray";

    private ChangeRow() {}

    /** Takes the next revision for this change and logs it. */
    static ConfigChanged insert(
            WriteTransaction transaction,
            ConfigKey key,
            String kind,
            String operation,
            Optional<ContentDigest> before,
            Optional<ContentDigest> now)
            throws SQLException {
        long revision = transaction.nextRevision();
        PreparedStatement insert = transaction.prepared(INSERT);
        insert.setLong(1, revision);
        insert.setLong(2, transaction.batch());
        insert.setString(3, kind);
        insert.setString(4, operation);
        int at = JdbcConfigStore.bindKey(insert, 5, key);
        insert.setString(at++, now.map(ContentDigest::toString).orElse(null));
        insert.setLong(at, transaction.nowMillis());
        insert.executeUpdate();
        return new ConfigChanged(key, revision, before, now);
    }
}

package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A row of {@code config_info} without its content.
 *
 * @param extInfo its attributes as the history keeps them
 */
record ConfigRow(long id, ContentDigest digest, String extInfo) {

    private static final String FIND = "SELECT id, md5, type, src_user, c_desc, c_use, effect, c_schema,"
            + " (SELECT GROUP_CONCAT(tag_name) FROM config_tags_relation tag WHERE tag.id = config_info.id)"
            + " FROM config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?";

    static Optional<ConfigRow> find(WriteTransaction transaction, ConfigKey key) throws SQLException {
        PreparedStatement find = transaction.prepared(FIND);
        transaction.bindKey(find, 1, key);
        try (ResultSet rows = find.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            long id = rows.getLong(1);
            String extInfo = HistoryRow.extInfo(
                    rows.getString(3),
                    rows.getString(9),
                    rows.getString(4),
                    rows.getString(5),
                    rows.getString(6),
                    rows.getString(7),
                    rows.getString(8));
            ContentDigest digest =
                    JdbcConfigStore.digest(transaction.jdbc(), JdbcConfigStore.FORMAL, rows.getString(2), id);
            return Optional.of(new ConfigRow(id, digest, extInfo));
        }
    }
}

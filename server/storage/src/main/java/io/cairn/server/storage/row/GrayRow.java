package io.cairn.server.storage.row;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.config.GrayRule;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

public record GrayRow(
        ConfigKey key,
        long id,
        ContentDigest digest,
        GrayRule rule,
        @Nullable String appName,
        String encryptedDataKey) {

    private static final String FIND = "SELECT id, md5, gray_rule, app_name, encrypted_data_key FROM config_info_gray"
            + " WHERE data_id = ? AND group_id = ? AND tenant_id = ? AND gray_name = ?";

    public static Optional<GrayRow> find(WriteTransaction transaction, ConfigKey key, String name) throws SQLException {
        PreparedStatement find = transaction.prepared(FIND);
        int next = transaction.bindKey(find, 1, key);
        find.setString(next, name);
        try (ResultSet rows = find.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            long id = rows.getLong(1);
            String encryptedDataKey = rows.getString(5);
            return Optional.of(new GrayRow(
                    key,
                    id,
                    ConfigEntries.digest(transaction.jdbc(), TableNames.GRAY, rows.getString(2), id),
                    GrayRule.read(name, rows.getString(3)),
                    rows.getString(4),
                    encryptedDataKey == null ? "" : encryptedDataKey));
        }
    }
}

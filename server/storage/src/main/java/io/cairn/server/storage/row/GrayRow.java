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

/** @param table of its kind of rule, see {@link TableNames#GRAYS} */
public record GrayRow(
        String table,
        ConfigKey key,
        long id,
        ContentDigest digest,
        GrayRule rule,
        @Nullable String appName,
        String encryptedDataKey) {

    private static final String FIND = "SELECT id, md5, gray_rule, app_name, encrypted_data_key FROM ";

    public static Optional<GrayRow> find(WriteTransaction transaction, ConfigKey key, String name) throws SQLException {
        for (String table : TableNames.GRAYS) {
            Optional<GrayRow> found = find(transaction, table, key, name);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    public void delete(WriteTransaction transaction) throws SQLException {
        PreparedStatement delete = transaction.prepared("DELETE FROM " + table + " WHERE id = ?");
        delete.setLong(1, id);
        delete.executeUpdate();
    }

    private static Optional<GrayRow> find(WriteTransaction transaction, String table, ConfigKey key, String name)
            throws SQLException {
        PreparedStatement find = transaction.prepared(FIND + table + ConfigEntries.OF_KEY + " AND gray_name = ?");
        int next = transaction.bindKey(find, 1, key);
        find.setString(next, name);
        try (ResultSet rows = find.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            long id = rows.getLong(1);
            String encryptedDataKey = rows.getString(5);
            return Optional.of(new GrayRow(
                    table,
                    key,
                    id,
                    ConfigEntries.digest(transaction.jdbc(), table, rows.getString(2), id),
                    GrayRule.read(name, rows.getString(3)),
                    rows.getString(4),
                    encryptedDataKey == null ? "" : encryptedDataKey));
        }
    }
}

package io.cairn.server.storage.row;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.GrayRule;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads entries of configurations and gray releases from rows of Nacos's tables. */
public final class ConfigEntries {

    public static final String SELECT_ENTRY =
            "SELECT data_id, group_id, tenant_id, md5, type, gmt_modified, encrypted_data_key";
    public static final String SELECT_GRAY =
            "SELECT data_id, group_id, tenant_id, md5, gray_name, gmt_modified, encrypted_data_key, gray_rule";
    public static final String OF_KEY = " WHERE data_id = ? AND group_id = ? AND tenant_id = ?";
    public static final String REVISION = "SELECT value FROM cairn_revision WHERE id = 1";

    private ConfigEntries() {}

    /** A release with an unreadable rule is shown, and reaches no client. */
    public static void noteUnreadableRule(LeftOutRows.Reading reading, @Nullable GrayRule rule, long id) {
        if (rule != null && !rule.isReadable()) {
            reading.leave(
                    "id " + id,
                    "gray_rule: no rule in JSON with a type, so no client gets " + RowRules.printable(rule.name()));
        }
    }

    /** The digest of a row; another program may omit the md5, so then that of the content. */
    public static ContentDigest digest(Connection connection, String table, @Nullable String md5, long id)
            throws SQLException {
        Optional<ContentDigest> stored = ContentDigest.parse(md5);
        return stored.isPresent() ? stored.get() : digestOfContent(connection, table, id);
    }

    private static ContentDigest digestOfContent(Connection connection, String table, long id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT content FROM " + table + " WHERE id = ?")) {
            statement.setLong(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                String content = rows.next() ? rows.getString(1) : null;
                return ContentDigest.of(content == null ? "" : content);
            }
        }
    }

    public static ConfigKey key(ResultSet rows) throws SQLException {
        return RowRules.key(rows, 1, 2, 3);
    }

    public static ConfigEntry entry(Dialect dialect, ResultSet rows, ContentDigest digest) throws SQLException {
        return entry(dialect, rows, key(rows), digest, 0);
    }

    public static ConfigEntry entry(Dialect dialect, ResultSet rows, ConfigKey key, ContentDigest digest, long row)
            throws SQLException {
        String encryptedDataKey = rows.getString(7);
        return new ConfigEntry(
                key,
                digest,
                ConfigType.ofWireName(rows.getString(5)),
                dialect.time(rows, 6),
                encryptedDataKey == null ? "" : encryptedDataKey,
                null,
                row);
    }

    /** @param table one of {@link TableNames#GRAYS} */
    public static ConfigEntry grayEntry(
            Dialect dialect, String table, ResultSet rows, ContentDigest digest, ConfigType type) throws SQLException {
        String encryptedDataKey = rows.getString(7);
        return new ConfigEntry(
                key(rows),
                digest,
                type,
                dialect.time(rows, 6),
                encryptedDataKey == null ? "" : encryptedDataKey,
                rule(table, RowRules.name("gray_name", rows.getString(5)), rows.getString(8)));
    }

    /** Matches no client where its kind belongs into the other table, because its content would be looked for there. */
    public static GrayRule rule(String table, String name, String json) {
        GrayRule rule = GrayRule.read(name, json);
        return !rule.isReadable() || TableNames.grayOf(rule).equals(table) ? rule : GrayRule.unreadable(name);
    }

    public static long revision(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(REVISION);
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
            }
            return rows.getLong(1);
        }
    }
}

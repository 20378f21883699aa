package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.PublishConfig;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code config_info} with its tags: as it is stored, or as a publish will make it.
 *
 * @param id 0 until the database has assigned one
 * @param content null when it was not read
 * @param user the user of the last publish
 * @param address the address of the last publish; null for a stored row, of which it is not read
 * @param tags comma separated; null for none
 */
record ConfigRow(
        ConfigKey key,
        long id,
        @Nullable String content,
        ContentDigest digest,
        @Nullable String user,
        @Nullable String address,
        @Nullable String appName,
        @Nullable String description,
        @Nullable String use,
        @Nullable String effect,
        @Nullable String type,
        @Nullable String schema,
        String encryptedDataKey,
        @Nullable String tags) {

    /** Largest content that is read with its row: 64 of them fit into the smallest packet limit in use, 4 MB. */
    static final int LARGEST_READ_BYTES = 32 * 1024;

    /** The columns that {@link #read} reads, except the content. */
    private static final String COLUMNS = "data_id, group_id, tenant_id, id, md5, src_user, app_name, c_desc, c_use,"
            + " effect, type, c_schema, encrypted_data_key,"
            + " (SELECT GROUP_CONCAT(tag_name) FROM config_tags_relation tag WHERE tag.id = config_info.id)";

    /** The column after them, where the content is read. */
    static final int CONTENT = 15;

    private static final String OF_KEY = "(data_id = ? AND group_id = ? AND tenant_id = ?)";
    private static final String LOCK = " FOR UPDATE";
    private static final String FIND = "SELECT " + COLUMNS + " FROM config_info WHERE " + OF_KEY;
    private static final String FIND_AND_LOCK = FIND + LOCK;

    /** Reads several rows with their contents, except large ones, and locks them. */
    static final RepeatedSql READ_AND_LOCK = new RepeatedSql(
            "SELECT " + COLUMNS + ", CASE WHEN LENGTH(content) <= " + LARGEST_READ_BYTES
                    + " THEN content END FROM config_info WHERE (",
            OF_KEY,
            " OR ",
            ")" + LOCK);

    /** Reads the ids of several rows: {@code data_id, group_id, tenant_id, id}. */
    static final RepeatedSql READ_IDS =
            new RepeatedSql("SELECT data_id, group_id, tenant_id, id FROM config_info WHERE (", OF_KEY, " OR ", ")");

    /**
     * Reads the row of a key without its content. Where another program may write the row meanwhile, it is locked until
     * the transaction ends. A row whose key differs in upper and lower case is not the row of that key, also where the
     * table compares them as equal.
     */
    static Optional<ConfigRow> find(WriteTransaction transaction, ConfigKey key) throws SQLException {
        Dialect dialect = transaction.dialect();
        PreparedStatement find = transaction.prepared(dialect.hasRowLocks() ? FIND_AND_LOCK : FIND);
        transaction.bindKey(find, 1, key);
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                if (dialect.isCaseSensitive() || key(rows).equals(key)) {
                    return Optional.of(read(rows, key, null, transaction.jdbc()));
                }
            }
            return Optional.empty();
        }
    }

    /** The key in the columns 1 to 3. */
    static ConfigKey key(ResultSet rows) throws SQLException {
        return new ConfigKey(Namespace.ofNullable(rows.getString(3)), rows.getString(2), rows.getString(1));
    }

    /**
     * Reads the present row of a result.
     *
     * @param key of the row
     * @param content of the row; null when it was not read
     * @param connection for reading the content of a row without md5
     */
    static ConfigRow read(ResultSet rows, ConfigKey key, @Nullable String content, Connection connection)
            throws SQLException {
        long id = rows.getLong(4);
        String md5 = rows.getString(5);
        String encryptedDataKey = rows.getString(13);
        return new ConfigRow(
                key,
                id,
                content,
                content == null
                        ? JdbcConfigStore.digest(connection, JdbcConfigStore.FORMAL, md5, id)
                        : ContentDigest.parse(md5).orElseGet(() -> ContentDigest.of(content)),
                rows.getString(6),
                null,
                rows.getString(7),
                rows.getString(8),
                rows.getString(9),
                rows.getString(10),
                rows.getString(11),
                rows.getString(12),
                encryptedDataKey == null ? "" : encryptedDataKey,
                rows.getString(14));
    }

    /**
     * The row as a publish makes it.
     *
     * @param stored the row as it is; null when there is none
     */
    static ConfigRow after(@Nullable ConfigRow stored, PublishConfig command) {
        ConfigAttributes attributes = command.attributes();
        List<String> newTags = attributes.tags();
        return new ConfigRow(
                command.key(),
                stored == null ? 0 : stored.id,
                new String(command.utf8(), StandardCharsets.UTF_8),
                command.digest(),
                command.by().user(),
                command.by().address(),
                attributes.appNameAfter(stored == null ? "" : stored.appName),
                attributes.description(),
                attributes.use(),
                attributes.effect(),
                attributes.type().wireName(),
                noneIfEmpty(attributes.schemaAfter(stored == null ? null : stored.schema)),
                attributes.encryptedDataKey(),
                newTags == null ? (stored == null ? null : stored.tags) : joined(newTags));
    }

    /** Nacos also stores an empty text for no schema. */
    private static @Nullable String noneIfEmpty(@Nullable String schema) {
        return schema == null || schema.isEmpty() ? null : schema;
    }

    private static @Nullable String joined(List<String> tags) {
        return tags.isEmpty() ? null : String.join(",", tags);
    }

    boolean isStored() {
        return id != 0;
    }
}

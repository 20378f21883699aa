package io.cairn.server.storage.row;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.RepeatedSql;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.writer.WriteTransaction;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code config_info} with its tags: stored, or as a publish will make it.
 *
 * @param id {@link #NO_ID} until assigned
 * @param content null if unread
 * @param tags comma separated, or null
 */
public record ConfigRow(
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

    /** No database assigns it. */
    private static final long NO_ID = Long.MIN_VALUE;

    /** The largest content read with its row: 64 of them fit into the smallest usual packet limit, 4 MB. */
    public static final int LARGEST_READ_BYTES = 32 * 1024;

    private static final String COLUMNS = "data_id, group_id, tenant_id, id, md5, src_user, app_name, c_desc, c_use,"
            + " effect, type, c_schema, encrypted_data_key, ";

    /** The index of the content after them. */
    public static final int CONTENT = 15;

    private static final String OF_KEY = "(data_id = ? AND group_id = ? AND tenant_id = ?)";
    private static final String LOCK = " FOR UPDATE";
    private static final Map<String, Reads> READS = new ConcurrentHashMap<>();

    /**
     * Statements with the tags in a text.
     *
     * @param several reads and locks several rows, without large contents
     */
    private record Reads(String find, RepeatedSql several) {

        static Reads of(Dialect dialect) {
            return READS.computeIfAbsent(dialect.joined("tag_name"), joined -> {
                String select = "SELECT " + COLUMNS + tags(joined);
                return new Reads(
                        select + " FROM config_info WHERE " + OF_KEY,
                        new RepeatedSql(
                                select + ", CASE WHEN LENGTH(content) <= " + LARGEST_READ_BYTES
                                        + " THEN content END FROM config_info WHERE (",
                                OF_KEY,
                                " OR ",
                                ")" + LOCK));
            });
        }
    }

    /** A column with the tags of a row of {@code config_info}. */
    public static String tags(Dialect dialect) {
        return tags(dialect.joined("tag_name"));
    }

    private static String tags(String joined) {
        return "(SELECT " + joined + " FROM config_tags_relation tag WHERE tag.id = config_info.id)";
    }

    /** Reads and locks several rows, without large contents. */
    public static RepeatedSql readAndLock(Dialect dialect) {
        return Reads.of(dialect).several();
    }

    /** Reads {@code data_id, group_id, tenant_id, id}. */
    static final RepeatedSql READ_IDS =
            new RepeatedSql("SELECT data_id, group_id, tenant_id, id FROM config_info WHERE (", OF_KEY, " OR ", ")");

    /**
     * Reads a row without content. Where other programs may write, locks it until the end of the transaction. Keys compare with
     * case, even where the table does not.
     */
    public static Optional<ConfigRow> find(WriteTransaction transaction, ConfigKey key) throws SQLException {
        Dialect dialect = transaction.dialect();
        String sql = Reads.of(dialect).find();
        PreparedStatement find = transaction.prepared(dialect.hasRowLocks() ? sql + LOCK : sql);
        transaction.bindKey(find, 1, key);
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                if (isOf(dialect, rows, key)) {
                    return Optional.of(read(rows, key, null, transaction.jdbc()));
                }
            }
            return Optional.empty();
        }
    }

    /**
     * Whether the first three columns (data_id, group_id, tenant_id) are the key. Some databases also find rows that differ in
     * case, or in spaces at the end.
     */
    public static boolean isOf(Dialect dialect, ResultSet rows, ConfigKey key) throws SQLException {
        return dialect.isCaseSensitive()
                || key.dataId().equals(rows.getString(1))
                        && key.group().equals(rows.getString(2))
                        && dialect.tenant(key.namespace()).equals(rows.getString(3));
    }

    /** The key in the first three columns; empty for an impossible key. */
    public static Optional<ConfigKey> key(ResultSet rows) throws SQLException {
        try {
            return Optional.of(RowRules.key(rows, 1, 2, 3));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * @param content null if unread
     * @param connection reads the content of a row without md5
     */
    public static ConfigRow read(ResultSet rows, ConfigKey key, @Nullable String content, Connection connection)
            throws SQLException {
        long id = rows.getLong(4);
        String md5 = rows.getString(5);
        String encryptedDataKey = rows.getString(13);
        return new ConfigRow(
                key,
                id,
                content,
                content == null
                        ? ConfigEntries.digest(connection, TableNames.FORMAL, md5, id)
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
     * The row after a publish.
     *
     * @param stored the present row, or null
     */
    public static ConfigRow after(@Nullable ConfigRow stored, PublishConfig command) {
        ConfigAttributes attributes = command.attributes();
        List<String> newTags = attributes.tags();
        return new ConfigRow(
                command.key(),
                stored == null ? NO_ID : stored.id,
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

    public boolean isStored() {
        return id != NO_ID;
    }
}

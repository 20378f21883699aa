package io.cairn.server.storage.row;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.Author;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.database.WriteConnection;
import io.cairn.server.storage.writer.Columns;
import io.cairn.server.storage.writer.RowInsert;
import io.cairn.server.storage.writer.WriteTransaction;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code his_config_info}: a version, and the operation that replaced, deleted or created it.
 *
 * @param table of the configuration or gray release
 * @param id of its row
 * @param content null to copy it within the database
 * @param grayName empty for a configuration
 * @param extInfo attributes without a column
 */
public record HistoryRow(
        String table,
        ConfigKey key,
        long id,
        @Nullable String content,
        ContentDigest digest,
        @Nullable String appName,
        String encryptedDataKey,
        String operation,
        String grayName,
        String extInfo,
        Author by) {

    public static final String INSERT = "I";
    public static final String UPDATE = "U";
    public static final String DELETE = "D";

    /** The width of Nacos's column; {@code extInfo} has the whole name. */
    private static final int MAX_GRAY_NAME = 50;

    /** Copied from the row of the same version. */
    private static final Columns<HistoryRow> COPIED = new Columns<HistoryRow>()
            .number("id", HistoryRow::id)
            .key(HistoryRow::key)
            .text("app_name", HistoryRow::appName)
            .text("content", HistoryRow::content)
            .text("encrypted_data_key", HistoryRow::encryptedDataKey);

    private static final Columns<HistoryRow> OTHERS = new Columns<HistoryRow>()
            .text("md5", row -> row.digest().toString())
            .now("gmt_create")
            .now("gmt_modified")
            .text("src_user", row -> row.by().user())
            .text("src_ip", row -> row.by().address())
            .text("op_type", HistoryRow::operation)
            .text("ext_info", HistoryRow::extInfo);
    private static final Columns<HistoryRow> OF_CONFIG =
            OTHERS.literal("publish_type", "formal").literal("gray_name", "");
    private static final Columns<HistoryRow> OF_GRAY =
            OTHERS.literal("publish_type", "gray").text("gray_name", HistoryRow::grayName);

    /** Of a row with its content at hand. */
    public static final Columns<HistoryRow> WITH_CONTENT = COPIED.and(OF_CONFIG);

    private static final RowInsert<HistoryRow> INSERT_ROWS = new RowInsert<>(TableNames.HISTORY, WITH_CONTENT);
    private static final RowInsert<HistoryRow> INSERT_SHARING_ROWS =
            new RowInsert<>(TableNames.SHARING_HISTORY, WITH_CONTENT);

    private static final Copy COPY_CONFIG = Copy.from(TableNames.FORMAL, OF_CONFIG);
    /** By table. */
    private static final Map<String, Copy> COPY_GRAYS = TableNames.GRAYS.stream()
            .collect(Collectors.toUnmodifiableMap(table -> table, table -> Copy.from(table, OF_GRAY)));

    /**
     * Inserts a row with the stored version, whose content stays in the database.
     *
     * @param rest of the statement, after the table
     */
    private record Copy(String rest, Columns<HistoryRow> bound) {

        static Copy from(String table, Columns<HistoryRow> bound) {
            String rest = " (" + COPIED.names() + ", " + bound.names() + ") SELECT " + COPIED.names() + ", "
                    + bound.marks() + " FROM " + table + " WHERE id = ?";
            return new Copy(rest, bound);
        }

        String sql(Dialect dialect) {
            return dialect.insertOfOneRow() + " INTO " + dialect.historyTable() + rest;
        }
    }

    public static RowInsert<HistoryRow> insert(Dialect dialect) {
        return dialect.sharesInsertedContent() ? INSERT_SHARING_ROWS : INSERT_ROWS;
    }

    /** @param content null to copy it within the database */
    public static HistoryRow of(ConfigRow row, long id, @Nullable String content, String operation, Author by) {
        String extInfo = new String(
                new JsonOutput(96)
                        .text("type", row.type())
                        .text("config_tags", row.tags())
                        .text("src_user", row.user())
                        .text("c_desc", row.description())
                        .text("c_use", row.use())
                        .text("effect", row.effect())
                        .text("c_schema", row.schema())
                        .toBytes(),
                StandardCharsets.UTF_8);
        return new HistoryRow(
                TableNames.FORMAL,
                row.key(),
                id,
                content,
                row.digest(),
                row.appName(),
                row.encryptedDataKey(),
                operation,
                "",
                extInfo,
                by);
    }

    /** The stored version of a gray release; its content is copied. */
    public static HistoryRow of(GrayRow row, String operation, Author by) {
        String name = row.rule().name();
        String extInfo = new String(
                new JsonOutput(160)
                        .text("gray_name", name)
                        .text("gray_rule", row.rule().toJson())
                        .text("src_user", by.user())
                        .toBytes(),
                StandardCharsets.UTF_8);
        return new HistoryRow(
                row.table(),
                row.key(),
                row.id(),
                null,
                row.digest(),
                row.appName(),
                row.encryptedDataKey(),
                operation,
                shortened(name),
                extInfo,
                by);
    }

    private static String shortened(String name) {
        return name.codePointCount(0, name.length()) <= MAX_GRAY_NAME
                ? name
                : name.substring(0, name.offsetByCodePoints(0, MAX_GRAY_NAME));
    }

    /** Inserts the row with the stored content, which stays in the database. */
    public void copy(WriteTransaction transaction) throws SQLException {
        Copy copy = grayName.isEmpty() ? COPY_CONFIG : Objects.requireNonNull(COPY_GRAYS.get(table));
        execute(transaction.prepared(copy.sql(transaction.dialect())), copy.bound, transaction);
    }

    /** As {@link #copy(WriteTransaction)} for a configuration, before the publishes kept back. */
    public void copy(WriteConnection connection, WriteTransaction transaction) throws SQLException {
        execute(connection.prepared(COPY_CONFIG.sql(transaction.dialect())), COPY_CONFIG.bound, transaction);
    }

    private void execute(PreparedStatement copy, Columns<HistoryRow> bound, WriteTransaction transaction)
            throws SQLException {
        copy.setLong(bound.bind(copy, 1, this, transaction), id);
        copy.executeUpdate();
    }
}

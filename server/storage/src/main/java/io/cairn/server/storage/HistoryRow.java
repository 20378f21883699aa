package io.cairn.server.storage;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.Author;
import io.cairn.server.config.GrayRule;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Rows of {@code his_config_info}: what people look up later. */
final class HistoryRow {

    static final String INSERT = "I";
    static final String UPDATE = "U";
    static final String DELETE = "D";

    private static final String COPY = "INSERT INTO his_config_info (id, data_id, group_id, tenant_id, app_name,"
            + " content, md5, encrypted_data_key, gmt_create, gmt_modified, src_user, src_ip, op_type, publish_type,"
            + " gray_name, ext_info) SELECT id, data_id, group_id, tenant_id, app_name, content, md5,"
            + " encrypted_data_key, ?, ?, ?, ?, ?, 'formal', '', ? FROM config_info WHERE id = ?";

    // The history's column is Nacos's and narrower than a name may be; ext_info has the whole name.
    private static final String COPY_GRAY = "INSERT INTO his_config_info (id, data_id, group_id, tenant_id, app_name,"
            + " content, md5, encrypted_data_key, gmt_create, gmt_modified, src_user, src_ip, op_type, publish_type,"
            + " gray_name, ext_info) SELECT id, data_id, group_id, tenant_id, app_name, content, md5,"
            + " encrypted_data_key, ?, ?, ?, ?, ?, 'gray', SUBSTR(gray_name, 1, 50), ? FROM config_info_gray WHERE id = ?";

    private HistoryRow() {}

    /** Copies the present row of that id, content included, without it leaving the database. */
    static void copy(WriteTransaction transaction, long id, String operation, Author by, String extInfo)
            throws SQLException {
        copy(transaction, COPY, id, operation, by, extInfo);
    }

    /** Copies the present row of a gray release. */
    static void copyGray(WriteTransaction transaction, long id, String operation, Author by, GrayRule rule)
            throws SQLException {
        String extInfo = new String(
                new JsonOutput(160)
                        .text("gray_name", rule.name())
                        .text("gray_rule", rule.toJson())
                        .text("src_user", by.user())
                        .toBytes(),
                StandardCharsets.UTF_8);
        copy(transaction, COPY_GRAY, id, operation, by, extInfo);
    }

    private static void copy(
            WriteTransaction transaction, String sql, long id, String operation, Author by, String extInfo)
            throws SQLException {
        PreparedStatement copy = transaction.prepared(sql);
        transaction.bindNow(copy, 1);
        transaction.bindNow(copy, 2);
        copy.setString(3, by.user());
        copy.setString(4, by.address());
        copy.setString(5, operation);
        copy.setString(6, extInfo);
        copy.setLong(7, id);
        copy.executeUpdate();
    }

    /**
     * The attributes that have no column of their own in the history.
     *
     * @param tags comma separated
     */
    static String extInfo(
            @Nullable String type,
            @Nullable String tags,
            @Nullable String user,
            @Nullable String description,
            @Nullable String use,
            @Nullable String effect,
            @Nullable String schema) {
        return new String(
                new JsonOutput(96)
                        .text("type", type)
                        .text("config_tags", tags)
                        .text("src_user", user)
                        .text("c_desc", description)
                        .text("c_use", use)
                        .text("effect", effect)
                        .text("c_schema", schema)
                        .toBytes(),
                StandardCharsets.UTF_8);
    }
}

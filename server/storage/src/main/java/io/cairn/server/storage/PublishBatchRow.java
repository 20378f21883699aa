package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.PublishConfig;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A row of {@code config_info} as it will be once its group is written; used by the writer's thread alone. */
final class PublishBatchRow {

    /** What is asked of the database for one, in the order in which it is read. */
    static final String COLUMNS = "data_id, group_id, tenant_id, id, md5, app_name, encrypted_data_key, type, src_user,"
            + " c_desc, c_use, effect, c_schema,"
            + " (SELECT GROUP_CONCAT(tag_name) FROM config_tags_relation tag WHERE tag.id = config_info.id)";

    private static final ContentDigest EMPTY = ContentDigest.of("");

    final ConfigKey key;
    /** 0 until the database has given one. */
    long id;

    String content = "";
    ContentDigest digest = EMPTY;

    @Nullable
    String user;

    @Nullable
    String address;

    @Nullable
    String appName;

    String encryptedDataKey = "";

    @Nullable
    String type;

    @Nullable
    String description;

    @Nullable
    String use;

    @Nullable
    String effect;

    @Nullable
    String schema;

    final @Nullable String tags;

    /** One that is not stored yet. */
    PublishBatchRow(ConfigKey key) {
        this.key = key;
        this.tags = null;
        this.appName = "";
    }

    /** One that is stored; {@code content} comes from a column of its own. */
    PublishBatchRow(ConfigKey key, ResultSet row, String content) throws SQLException {
        this.key = key;
        id = row.getLong(4);
        this.content = content;
        digest = ContentDigest.parse(row.getString(5)).orElseGet(() -> ContentDigest.of(content));
        appName = row.getString(6);
        String dataKey = row.getString(7);
        encryptedDataKey = dataKey == null ? "" : dataKey;
        type = row.getString(8);
        user = row.getString(9);
        description = row.getString(10);
        use = row.getString(11);
        effect = row.getString(12);
        schema = row.getString(13);
        tags = row.getString(14);
    }

    boolean isStored() {
        return id != 0;
    }

    void take(PublishConfig command) {
        ConfigAttributes attributes = command.attributes();
        content = new String(command.utf8(), StandardCharsets.UTF_8);
        digest = command.digest();
        user = command.by().user();
        address = command.by().address();
        if (attributes.appName() != null) {
            appName = attributes.appName();
        }
        encryptedDataKey = attributes.encryptedDataKey();
        type = attributes.type().wireName();
        description = attributes.description();
        use = attributes.use();
        effect = attributes.effect();
        schema = attributes.schemaAfter(schema);
    }

    /** Its attributes as the history keeps them. */
    String extInfo() {
        return HistoryRow.extInfo(type, tags, user, description, use, effect, schema);
    }
}

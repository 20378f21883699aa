package io.cairn.server.config;

import io.cairn.api.config.ConfigType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A content's attributes by its publisher.
 *
 * @param appName null to keep the stored one
 * @param schema a JSON Schema for the content; null to keep the stored one, blank to remove it
 * @param tags labels; null to keep the stored ones, empty to remove them
 */
public record ConfigAttributes(
        ConfigType type,
        @Nullable String appName,
        @Nullable String description,
        @Nullable String use,
        @Nullable String effect,
        @Nullable String schema,
        @Nullable List<String> tags,
        String encryptedDataKey) {

    public static ConfigAttributes ofType(ConfigType type) {
        return new ConfigAttributes(type, null, null, null, null, null, null, "");
    }

    /** The application to store in place of {@code stored}. */
    public @Nullable String appNameAfter(@Nullable String stored) {
        return appName == null ? stored : appName;
    }

    /** The schema to store in place of {@code stored}. */
    public @Nullable String schemaAfter(@Nullable String stored) {
        return schema == null ? stored : schema.isBlank() ? null : schema;
    }

    public ConfigAttributes {
        tags = tags == null ? null : List.copyOf(tags);
    }
}

package io.cairn.server.config;

import io.cairn.api.config.ConfigType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a content, as its publisher states them.
 *
 * @param appName the application it belongs to; null keeps the stored one
 * @param schema a JSON Schema that the content is checked against; null keeps the stored one, a blank one removes it
 * @param tags labels to search by; null keeps the stored ones, an empty list removes them
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

    /** A type, and no other attribute. */
    public static ConfigAttributes ofType(ConfigType type) {
        return new ConfigAttributes(type, null, null, null, null, null, null, "");
    }

    /** The application that is stored with the content, where {@code stored} is the one before. */
    public @Nullable String appNameAfter(@Nullable String stored) {
        return appName == null ? stored : appName;
    }

    /** The schema that is stored with the content, where {@code stored} is the one before. */
    public @Nullable String schemaAfter(@Nullable String stored) {
        return schema == null ? stored : schema.isBlank() ? null : schema;
    }

    public ConfigAttributes {
        tags = tags == null ? null : List.copyOf(tags);
    }
}

package io.cairn.server.config;

import io.cairn.api.config.ConfigType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a publisher says about a content.
 *
 * @param appName the application it belongs to; null keeps the stored one
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

    /** Nothing but a type. */
    public static ConfigAttributes ofType(ConfigType type) {
        return new ConfigAttributes(type, null, null, null, null, null, null, "");
    }

    public ConfigAttributes {
        tags = tags == null ? null : List.copyOf(tags);
    }
}

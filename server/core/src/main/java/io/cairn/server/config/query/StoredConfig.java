package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole stored configuration.
 *
 * @param content null in some lists
 * @param tags labels
 */
public record StoredConfig(
        long id,
        ConfigKey key,
        @Nullable String content,
        String md5,
        String encryptedDataKey,
        String appName,
        ConfigType type,
        Instant createdAt,
        Instant modifiedAt,
        @Nullable String createUser,
        @Nullable String createIp,
        @Nullable String description,
        @Nullable String use,
        @Nullable String effect,
        @Nullable String schema,
        List<String> tags) {

    public StoredConfig {
        tags = List.copyOf(tags);
    }

    public StoredConfig withTags(List<String> labels) {
        return labels.equals(tags)
                ? this
                : new StoredConfig(
                        id,
                        key,
                        content,
                        md5,
                        encryptedDataKey,
                        appName,
                        type,
                        createdAt,
                        modifiedAt,
                        createUser,
                        createIp,
                        description,
                        use,
                        effect,
                        schema,
                        labels);
    }
}

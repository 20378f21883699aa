package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is stored of a configuration. Immutable.
 *
 * @param content null where a list leaves it out
 * @param tags labels to search by
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
}

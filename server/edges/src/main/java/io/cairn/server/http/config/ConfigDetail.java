package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.query.StoredConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A configuration with its content, in version 3.
 *
 * @param configTags separated by commas, or null
 */
public record ConfigDetail(
        @JsonUnwrapped Config config,
        @Nullable String content,
        @Nullable String desc,
        String encryptedDataKey,
        @Nullable String createUser,
        @Nullable String createIp,
        @Nullable String configTags) {

    public static ConfigDetail of(StoredConfig config, List<ConfigEntry> grays) {
        return new ConfigDetail(
                Config.of(config, grays),
                config.content(),
                config.description(),
                config.encryptedDataKey(),
                config.createUser(),
                config.createIp(),
                joinedTags(config));
    }

    public static @Nullable String joinedTags(StoredConfig config) {
        return config.tags().isEmpty() ? null : String.join(",", config.tags());
    }
}

package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.query.StoredConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A configuration with its content, in version 3.
 *
 * @param configTags separated by commas; null for none
 * @param grayReleases a member that Nacos does not have; left out when there is none
 */
public record ConfigDetail(
        String id,
        String namespaceId,
        String groupName,
        String dataId,
        String md5,
        String type,
        String appName,
        long createTime,
        long modifyTime,
        @Nullable String content,
        @Nullable String desc,
        String encryptedDataKey,
        @Nullable String createUser,
        @Nullable String createIp,
        @Nullable String configTags,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<GrayRelease> grayReleases) {

    public ConfigDetail {
        grayReleases = List.copyOf(grayReleases);
    }

    public static ConfigDetail of(StoredConfig config, List<ConfigEntry> grays) {
        return new ConfigDetail(
                Long.toString(config.id()),
                config.key().namespace().id(),
                config.key().group(),
                config.key().dataId(),
                config.md5(),
                config.type().wireName(),
                config.appName(),
                config.createdAt().toEpochMilli(),
                config.modifiedAt().toEpochMilli(),
                config.content(),
                config.description(),
                config.encryptedDataKey(),
                config.createUser(),
                config.createIp(),
                joinedTags(config),
                GrayRelease.listOf(grays));
    }

    /** The labels of a configuration in one text; null for none. */
    public static @Nullable String joinedTags(StoredConfig config) {
        return config.tags().isEmpty() ? null : String.join(",", config.tags());
    }
}

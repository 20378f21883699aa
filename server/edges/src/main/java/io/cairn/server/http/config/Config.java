package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.query.StoredConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A configuration in version 3, without its content.
 *
 * @param grayReleases an addition to Nacos; left out when empty
 */
public record Config(
        String id,
        String namespaceId,
        String groupName,
        String dataId,
        @Nullable String md5,
        String type,
        String appName,
        long createTime,
        long modifyTime,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<GrayRelease> grayReleases) {

    public Config {
        grayReleases = List.copyOf(grayReleases);
    }

    public static Config of(StoredConfig config, List<ConfigEntry> grays) {
        return new Config(
                Long.toString(config.id()),
                config.key().namespace().id(),
                config.key().group(),
                config.key().dataId(),
                config.md5(),
                config.type().wireName(),
                config.appName(),
                config.createdAt().toEpochMilli(),
                config.modifiedAt().toEpochMilli(),
                GrayRelease.listOf(grays));
    }

    /** The part in memory; without id and md5, as in Nacos. */
    public static Config of(ConfigEntry entry) {
        return new Config(
                "0",
                entry.key().namespace().id(),
                entry.key().group(),
                entry.key().dataId(),
                null,
                entry.type().wireName(),
                "",
                0,
                entry.lastModifiedMillis(),
                List.of());
    }
}

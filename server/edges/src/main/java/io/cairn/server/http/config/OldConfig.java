package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.query.StoredConfig;
import org.jspecify.annotations.Nullable;

/**
 * A configuration in a list of versions 1 and 2.
 *
 * @param id {@code 0} where Nacos looks it up by its names
 * @param tenant the namespace as that version spells it
 * @param lastModified left out where Nacos leaves it out
 */
public record OldConfig(
        String id,
        String dataId,
        String group,
        @Nullable String content,
        @Nullable String md5,
        @Nullable String encryptedDataKey,
        String tenant,
        String appName,
        @Nullable String type,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long lastModified) {

    /** A configuration that version 2 finds by its content. */
    public static OldConfig of(StoredConfig config) {
        return new OldConfig(
                Long.toString(config.id()),
                config.key().dataId(),
                config.key().group(),
                config.content(),
                config.md5(),
                config.encryptedDataKey(),
                tenant(config.key().namespace()),
                config.appName(),
                config.type().wireName(),
                null);
    }

    /** A configuration that version 1 finds; with or without its key and its type. */
    public static OldConfig found(StoredConfig config, String tenant, boolean withKey, boolean withType) {
        return new OldConfig(
                Long.toString(config.id()),
                config.key().dataId(),
                config.key().group(),
                config.content(),
                null,
                withKey ? config.encryptedDataKey() : null,
                tenant,
                config.appName(),
                withType ? config.type().wireName() : null,
                null);
    }

    /** A configuration of a namespace that version 1 lists. */
    public static OldConfig listed(StoredConfig config, String tenant) {
        return new OldConfig(
                "0",
                config.key().dataId(),
                config.key().group(),
                null,
                null,
                null,
                tenant,
                config.appName(),
                config.type().wireName(),
                config.modifiedAt().toEpochMilli());
    }

    /** The part of a configuration that is in memory, as version 2 lists a namespace. */
    public static OldConfig of(ConfigEntry entry) {
        return new OldConfig(
                "0",
                entry.key().dataId(),
                entry.key().group(),
                null,
                null,
                null,
                tenant(entry.key().namespace()),
                "",
                entry.type().wireName(),
                entry.lastModifiedMillis());
    }

    /** The spelling of version 2: the default namespace is the empty one. */
    public static String tenant(Namespace namespace) {
        return namespace.isDefault() ? "" : namespace.id();
    }
}

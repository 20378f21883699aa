package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.query.StoredConfig;
import org.jspecify.annotations.Nullable;

/**
 * A configuration in a list of versions 1 and 2.
 *
 * @param id {@code 0} where Nacos finds it by its names
 * @param tenant the namespace in the form of the version
 * @param lastModified left out where Nacos does
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

    /** A result of version 2's search by content. */
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

    /** A result of version 1's search, with or without key and type. */
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

    /** A configuration in version 1's list of a namespace. */
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

    /** A configuration from memory, in version 2's list of a namespace. */
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

    /** The form of version 2: empty for the default namespace. */
    public static String tenant(Namespace namespace) {
        return namespace.isDefault() ? "" : namespace.id();
    }
}

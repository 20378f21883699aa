package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import org.jspecify.annotations.Nullable;

/**
 * The part of a configuration's version that is always in memory: everything but its content. Immutable.
 *
 * @param lastModifiedMillis when it was published, in epoch milliseconds
 * @param gray the clients that get this version; null for the version that all other clients get
 * @param encryptedDataKey as the client's encryption plug-in gave it; empty for plain content
 */
public record ConfigEntry(
        ConfigKey key,
        ContentDigest digest,
        ConfigType type,
        long lastModifiedMillis,
        String encryptedDataKey,
        @Nullable GrayRule gray) {

    ConfigEntry withType(ConfigType other) {
        return new ConfigEntry(key, digest, other, lastModifiedMillis, encryptedDataKey, gray);
    }
}

package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import org.jspecify.annotations.Nullable;

/**
 * What is always in memory of one version of a configuration: everything but its content. Immutable.
 *
 * @param lastModifiedMillis when it was published, in epoch milliseconds
 * @param gray for which clients this version is; null when it is the one for all others
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

package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The part of a configuration's version that is always in memory: all but the content.
 *
 * @param lastModifiedMillis epoch milliseconds
 * @param gray the receiving clients; null for all others
 * @param encryptedDataKey of the client's encryption plug-in; empty for plain content
 * @param row number of its stored row, for cheaper reads; 0 if unknown. It does not affect equality
 */
public record ConfigEntry(
        ConfigKey key,
        ContentDigest digest,
        ConfigType type,
        long lastModifiedMillis,
        String encryptedDataKey,
        @Nullable GrayRule gray,
        long row) {

    public ConfigEntry(
            ConfigKey key,
            ContentDigest digest,
            ConfigType type,
            long lastModifiedMillis,
            String encryptedDataKey,
            @Nullable GrayRule gray) {
        this(key, digest, type, lastModifiedMillis, encryptedDataKey, gray, 0);
    }

    /** The key sent with the content. As in Nacos: null for plain content of a gray release, empty for other plain content. */
    public @Nullable String keyForReaders() {
        return gray != null && encryptedDataKey.isEmpty() ? null : encryptedDataKey;
    }

    ConfigEntry withType(ConfigType other) {
        return new ConfigEntry(key, digest, other, lastModifiedMillis, encryptedDataKey, gray, row);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof ConfigEntry that
                        && key.equals(that.key)
                        && digest.equals(that.digest)
                        && type == that.type
                        && lastModifiedMillis == that.lastModifiedMillis
                        && encryptedDataKey.equals(that.encryptedDataKey)
                        && Objects.equals(gray, that.gray);
    }

    @Override
    public int hashCode() {
        return (31 * key.hashCode() + digest.hashCode()) * 31 + Long.hashCode(lastModifiedMillis);
    }
}

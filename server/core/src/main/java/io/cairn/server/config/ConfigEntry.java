package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The part of a configuration's version that is always in memory: everything but its content. Immutable.
 *
 * @param lastModifiedMillis when it was published, in epoch milliseconds
 * @param gray the clients that get this version; null for the version that all other clients get
 * @param encryptedDataKey as the client's encryption plug-in gave it; empty for plain content
 * @param row number of the row in which the store has it, which makes reading its content cheaper; 0 when not known. Entries of one
 *     version are equal whether or not it is known
 */
public record ConfigEntry(
        ConfigKey key,
        ContentDigest digest,
        ConfigType type,
        long lastModifiedMillis,
        String encryptedDataKey,
        @Nullable GrayRule gray,
        long row) {

    /** An entry whose row is not known. */
    public ConfigEntry(
            ConfigKey key,
            ContentDigest digest,
            ConfigType type,
            long lastModifiedMillis,
            String encryptedDataKey,
            @Nullable GrayRule gray) {
        this(key, digest, type, lastModifiedMillis, encryptedDataKey, gray, 0);
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

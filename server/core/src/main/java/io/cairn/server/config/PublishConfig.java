package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Inserts or updates a content. Refuses with {@code INVALID_PARAMETER} a data ID and an encryption key that some database cannot
 * store.
 *
 * @param utf8 not blank; must not be modified
 * @param expectedMd5 of the stored content as the caller sent it; null for any. As in Nacos, an absent configuration is stored
 *     without regard to it
 * @param gray the receiving clients; null for all. Then the encryption key has at most 256 characters
 */
public record PublishConfig(
        ConfigKey key,
        byte[] utf8,
        ContentDigest digest,
        @Nullable String expectedMd5,
        ConfigAttributes attributes,
        @Nullable GrayRule gray,
        Author by) {

    /** Characters of the column. */
    private static final int MAX_KEY_OF_GRAY = 256;

    public PublishConfig {
        ParameterCheck.toBeStored(key.dataId());
        if (gray != null && attributes.encryptedDataKey().length() > MAX_KEY_OF_GRAY) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "too long encryptedDataKey of a beta or tag release, over " + MAX_KEY_OF_GRAY);
        }
    }

    public PublishConfig forClientsOf(GrayRule rule) {
        return new PublishConfig(key, utf8, digest, expectedMd5, attributes, rule, by);
    }
}

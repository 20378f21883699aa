package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import org.jspecify.annotations.Nullable;

/**
 * The command to store a content: insert or update.
 *
 * @param utf8 the content, not blank; not to be modified afterwards
 * @param digest of the content
 * @param expectedMd5 the expected md5 of the stored content, as the caller gave it; null for any. A configuration that
 *     does not exist yet is stored whatever this value is, as in Nacos.
 * @param gray the clients that get the content; null for all
 */
public record PublishConfig(
        ConfigKey key,
        byte[] utf8,
        ContentDigest digest,
        @Nullable String expectedMd5,
        ConfigAttributes attributes,
        @Nullable GrayRule gray,
        Author by) {

    /** The same content for the clients of that rule. */
    public PublishConfig forClientsOf(GrayRule rule) {
        return new PublishConfig(key, utf8, digest, expectedMd5, attributes, rule, by);
    }
}

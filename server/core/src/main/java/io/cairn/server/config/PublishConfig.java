package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import org.jspecify.annotations.Nullable;

/**
 * The order to store a content: insert or update.
 *
 * @param utf8 the content, not blank; not to be written to afterwards
 * @param digest of the content
 * @param expectedMd5 what the stored content's md5 must spell, as the caller gave it; null for any. A configuration that
 *     does not exist yet is stored whatever is expected, as Nacos has it.
 * @param gray for which clients the content is; null for all
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

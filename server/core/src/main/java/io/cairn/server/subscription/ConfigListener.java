package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.Optional;

/**
 * A client that listens to a configuration.
 *
 * @param connectionId empty for a poll
 * @param client name and version of its SDK, or empty
 * @param digest of its last reported content, or last read one if its SDK listens by reading; may be empty
 * @param isCurrent whether that is the client's current content
 */
public record ConfigListener(
        ConfigKey key,
        String clientIp,
        String connectionId,
        String client,
        Optional<ContentDigest> digest,
        boolean isCurrent) {}

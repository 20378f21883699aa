package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.Optional;

/**
 * A client that listens to a configuration.
 *
 * @param connectionId of its long connection; empty if it polls
 * @param client name and version of its SDK; empty if not given
 * @param digest of the content that it has reported last, or has read if its SDK listens by reading; empty for none
 * @param isCurrent whether that is the current content for the client
 */
public record ConfigListener(
        ConfigKey key,
        String clientIp,
        String connectionId,
        String client,
        Optional<ContentDigest> digest,
        boolean isCurrent) {}

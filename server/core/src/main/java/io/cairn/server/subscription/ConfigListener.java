package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.Optional;

/**
 * A client that listens to a configuration.
 *
 * @param connectionId of its long connection; empty when it polls
 * @param client name and version of its SDK; empty when not given
 * @param digest of the content that it last said it has, or read where its SDK listens by that; empty for none
 * @param isCurrent whether that is what it should have now
 */
public record ConfigListener(
        ConfigKey key,
        String clientIp,
        String connectionId,
        String client,
        Optional<ContentDigest> digest,
        boolean isCurrent) {}

package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.gray.GrayClient;
import java.util.Optional;

/**
 * A client that listens to a configuration.
 *
 * @param reader with the claimed address
 * @param connectionId empty for a poll
 * @param client name and version of its SDK, or empty
 * @param digest of its last reported content, or last read one if its SDK listens by reading; may be empty
 * @param release the gray release that it gets; empty for the content for all
 * @param isCurrent whether that is the client's current content
 */
public record ConfigListener(
        ConfigKey key,
        GrayClient reader,
        String connectionId,
        String client,
        Optional<ContentDigest> digest,
        String release,
        boolean isCurrent) {

    public String clientIp() {
        return reader.address();
    }
}

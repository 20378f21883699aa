package io.cairn.server.change;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.Optional;

/**
 * A configuration was stored or deleted, durable before anyone hears of it.
 *
 * @param revision its place in the order of all changes, without gaps, or {@link #UNKNOWN_REVISION}
 * @param before the digest it had; empty when it did not exist
 * @param now the digest it has; empty when it was deleted
 */
public record ConfigChanged(ConfigKey key, long revision, Optional<ContentDigest> before, Optional<ContentDigest> now) {

    /** The revision of a change that was found by comparing, not heard of. */
    public static final long UNKNOWN_REVISION = 0;

    /** False when a publish brought the content that was there already. */
    public boolean contentDiffers() {
        return !before.equals(now);
    }
}

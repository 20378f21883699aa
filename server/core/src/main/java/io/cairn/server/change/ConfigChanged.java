package io.cairn.server.change;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.Optional;

/**
 * A configuration was stored or deleted; the change is durable before it is announced.
 *
 * @param revision its place in the order of all changes, without gaps, or {@link #UNKNOWN_REVISION}
 * @param before the digest it had; empty if it did not exist
 * @param now the digest it has; empty if it was deleted
 */
public record ConfigChanged(ConfigKey key, long revision, Optional<ContentDigest> before, Optional<ContentDigest> now) {

    /** The revision of a change that was found by a comparison with the store, not by an announcement. */
    public static final long UNKNOWN_REVISION = 0;

    /** False if a publish stored the same content again. */
    public boolean contentDiffers() {
        return !before.equals(now);
    }
}

package io.cairn.server.change;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.Optional;

/**
 * A stored or deleted configuration, durable before its announcement.
 *
 * @param revision in the order of all changes, without gaps, or {@link #UNKNOWN_REVISION}
 * @param before the former digest, if any
 * @param now the present digest; empty if deleted
 */
public record ConfigChanged(ConfigKey key, long revision, Optional<ContentDigest> before, Optional<ContentDigest> now) {

    /** Of a change found by a comparison. */
    public static final long UNKNOWN_REVISION = 0;

    /** False for a publish of the stored content. */
    public boolean contentDiffers() {
        return !before.equals(now);
    }
}

package io.cairn.server.cluster;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Tells a node that shows an old revision from one that is just about to show the newest. Used by one thread at a time. */
final class RevisionLag {

    /** A node may show a revision that is this much older than that of the others. */
    static final Duration AGE = Duration.ofSeconds(3);

    private long awaited;
    private @Nullable Long sinceNanos;

    /** Whether the newest revision of some seconds ago is still not shown. To be called every second. */
    boolean isBehind(long shown, long newest, long nowNanos) {
        if (shown >= newest) {
            sinceNanos = null;
            return false;
        }
        if (sinceNanos == null || shown >= awaited) {
            awaited = newest;
            sinceNanos = nowNanos;
        }
        return nowNanos - sinceNanos > AGE.toNanos();
    }

    /** The time that has passed does not count. */
    void reset() {
        sinceNanos = null;
    }
}

package io.cairn.server.cluster;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Distinguishes a node with an old revision from a node about to show the newest. For one thread. */
final class RevisionLag {

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

    void reset() {
        sinceNanos = null;
    }
}

package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before asking again for what failed: half a second or a second at first, up to a minute. */
public final class RetryPause {

    private static final long FIRST_MILLIS = 1_000;
    private static final long LONGEST_MILLIS = 60_000;

    @GuardedBy("this")
    private int failures;

    /** Counts a failure; between half and all of a span that doubles with each. */
    public synchronized Duration next() {
        long span = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(failures, 10));
        failures++;
        return Duration.ofMillis(span / 2 + ThreadLocalRandom.current().nextLong(span / 2 + 1));
    }

    /** It has worked. */
    public synchronized void reset() {
        failures = 0;
    }

    /** How often in a row it has failed. */
    public synchronized int failures() {
        return failures;
    }
}

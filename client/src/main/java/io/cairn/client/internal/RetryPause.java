package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

public final class RetryPause {

    private static final long FIRST_MILLIS = 1_000;
    private static final long LONGEST_MILLIS = 60_000;

    @GuardedBy("this")
    private int failures;

    /** Counts a failure; returns between half and all of a span that doubles with each failure, from 1 s up to 60 s. */
    public synchronized Duration next() {
        long span = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(failures, 10));
        failures++;
        return Duration.ofMillis(span / 2 + ThreadLocalRandom.current().nextLong(span / 2 + 1));
    }

    public synchronized void reset() {
        failures = 0;
    }

    public synchronized int failures() {
        return failures;
    }
}

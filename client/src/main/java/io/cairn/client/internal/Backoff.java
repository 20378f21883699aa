package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.random.RandomGenerator;

final class Backoff {

    private static final long FIRST_MILLIS = 100;
    private static final long LONGEST_MILLIS = 10_000;

    private final RandomGenerator random;

    @GuardedBy("this")
    private long millis = FIRST_MILLIS;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** Between half and all of a span that doubles with each call, from 100 ms up to 10 s. */
    synchronized Duration next() {
        long now = millis;
        millis = Math.min(LONGEST_MILLIS, millis * 2);
        return Duration.ofMillis(now / 2 + random.nextLong(now / 2 + 1));
    }

    synchronized void reset() {
        millis = FIRST_MILLIS;
    }
}

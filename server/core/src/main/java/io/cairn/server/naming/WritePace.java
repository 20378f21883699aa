package io.cairn.server.naming;

import java.util.concurrent.TimeUnit;

/**
 * How long a writer rests after a write before it takes what has changed meanwhile: a moment where changes are rare, so that
 * little is lost when the process is killed, and a second where they go on, so that many become one write. Not thread-safe.
 */
final class WritePace {

    static final long SHORT_MILLIS = 50;
    static final long LONG_MILLIS = 1_000;

    /** Short rests that may be taken in a row. */
    static final int BURST = 10;

    /** In which time one of them is earned again. */
    static final long EARNED_MILLIS = 10_000;

    private static final long EARNED_NANOS = TimeUnit.MILLISECONDS.toNanos(EARNED_MILLIS);
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS);

    private int left = BURST;
    private long countedAt;

    /** @param now of {@link System#nanoTime} */
    WritePace(long now) {
        this.countedAt = now;
    }

    /**
     * Returns the milliseconds to rest.
     *
     * @param now of {@link System#nanoTime}, after the write
     * @param tookNanos how long the write took; one that takes its time is not repeated soon
     */
    long rest(long now, long tookNanos) {
        long earned = (now - countedAt) / EARNED_NANOS;
        countedAt += earned * EARNED_NANOS;
        left = (int) Math.min(BURST, left + earned);
        if (left == 0 || tookNanos > SHORT_NANOS) {
            return LONG_MILLIS;
        }
        left--;
        return SHORT_MILLIS;
    }
}

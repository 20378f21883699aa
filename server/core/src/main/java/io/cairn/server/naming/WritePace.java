package io.cairn.server.naming;

import java.util.concurrent.TimeUnit;

/**
 * The pause of a writer after a write: short while changes are rare, so that little is lost when the process is killed,
 * and a second while they continue, so that many changes become one write. Not thread-safe.
 */
final class WritePace {

    static final long SHORT_MILLIS = 50;
    static final long LONG_MILLIS = 1_000;

    /** Maximum consecutive short pauses. */
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
     * Returns the milliseconds to pause.
     *
     * @param now of {@link System#nanoTime}, after the write
     * @param tookNanos duration of the write; after a slow write the pause is longer
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

package io.cairn.server.naming.stored;

import java.util.concurrent.TimeUnit;

/**
 * The pause after a write: short while changes are rare, so that a kill loses little, and a second while they continue, so that
 * many become one write. Not thread-safe.
 */
final class WritePace {

    static final long SHORT_MILLIS = 50;
    static final long LONG_MILLIS = 1_000;

    /** Consecutive short pauses. */
    static final int BURST = 10;

    /** The time that restores a short pause. */
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
     * The pause in milliseconds.
     *
     * @param now of {@link System#nanoTime}, after the write
     * @param tookNanos of the write; a slow one lengthens the pause
     */
    long pauseMillis(long now, long tookNanos) {
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

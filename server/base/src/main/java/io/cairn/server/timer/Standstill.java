package io.cairn.server.timer;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices that this process did not run for seconds: it was stopped and continued, or its machine was. Clients have given up meanwhile
 * (official ones wait 3 s), and what they sent is still to be read. One thread says each time when it will run again at the latest; any
 * thread may ask.
 */
public final class Standstill {

    /** A thread that is late by less than this may have waited for a processor. */
    static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The time after a standstill in which the server reads what was sent during it. */
    static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LongSupplier nanoTime;
    private volatile long expectedAt;
    private volatile boolean isExpected;
    private volatile long endedAt;
    private volatile boolean hasEnded;

    public Standstill() {
        this(System::nanoTime);
    }

    /** @param nanoTime what {@link System#nanoTime} tells */
    public Standstill(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * The calling thread runs, and calls this again within that time.
     *
     * @return by how many ns it is late where a standstill has just ended, else 0
     */
    public long running(long againWithinNanos) {
        long now = nanoTime.getAsLong();
        long late = note(now);
        expectedAt = now + againWithinNanos;
        isExpected = true;
        return late;
    }

    /** The calling thread waits without a limit: until its next call nothing is noticed. */
    public void resting() {
        note(nanoTime.getAsLong());
        isExpected = false;
    }

    private long note(long now) {
        if (!isLate(now)) {
            return 0;
        }
        endedAt = now;
        hasEnded = true;
        return now - expectedAt;
    }

    private boolean isLate(long now) {
        return isExpected && now - expectedAt >= LEAST_NANOS;
    }

    /** Whether a standstill ended after that time of {@link System#nanoTime}. */
    public boolean endedAfter(long nanos) {
        // The first thread that runs again need not be the one that is expected.
        return isLate(nanoTime.getAsLong()) || hasEnded && endedAt - nanos > 0;
    }

    /** Whether a standstill has ended so lately that what clients sent during it may be read now. */
    public boolean isRecent() {
        long now = nanoTime.getAsLong();
        return isLate(now) || hasEnded && now - endedAt < RECENT_NANOS;
    }
}

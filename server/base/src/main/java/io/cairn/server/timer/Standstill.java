package io.cairn.server.timer;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Detects that this process did not run for seconds, because it or its machine was stopped. Clients have given up meanwhile
 * (official ones after 3 s), and their requests are still unread. One thread reports when it will run again; any thread may query.
 */
public final class Standstill {

    static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The time after a standstill in which the server reads requests from before its end. */
    static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LongSupplier nanoTime;
    private volatile long expectedAt;
    private volatile boolean isExpected;
    private volatile long endedAt;
    private volatile boolean hasEnded;

    public Standstill() {
        this(System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public Standstill(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Reports that the calling thread runs, and calls again within that time.
     *
     * @return its delay in ns if a standstill has just ended, else 0
     */
    public long running(long againWithinNanos) {
        long now = nanoTime.getAsLong();
        long late = note(now);
        expectedAt = now + againWithinNanos;
        isExpected = true;
        return late;
    }

    /** Reports that the calling thread waits without a limit: until its next call no standstill is detected. */
    public void idle() {
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

    public boolean endedAfter(long nanos) {
        // Another thread than the reporting one may run first.
        return isLate(nanoTime.getAsLong()) || hasEnded && endedAt - nanos > 0;
    }

    /** Whether a standstill has ended so recently that requests from before its end may still be read. */
    public boolean isRecent() {
        long now = nanoTime.getAsLong();
        return isLate(now) || hasEnded && now - endedAt < RECENT_NANOS;
    }
}

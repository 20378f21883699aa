package io.cairn.server.timer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Detects that this process did not run for seconds, because it or its machine was stopped. Meanwhile clients time out (official
 * clients after 3 s), with unread requests. One thread reports when it will run again; any thread may query. Parts with other
 * limits use a {@link Watch}.
 */
public final class Standstill {

    /** After that, unread requests may have timed out. */
    public static final Duration OF_REQUESTS = Duration.ofSeconds(2);
    /** A longer standstill does not count as a wait for other nodes. */
    public static final Duration OF_HOLDS = Duration.ofSeconds(2);
    /** A shorter standstill makes no client move. */
    public static final Duration OF_LEASES = Duration.ofSeconds(4);
    /** After a longer standstill this node may lack changes. */
    public static final Duration OF_SERVICE = Duration.ofSeconds(4);

    /** The time after a standstill in which the server reads requests from before its end. */
    static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LongSupplier nanoTime;
    private final Watch watch;
    private volatile long endedAt;
    private volatile boolean hasEnded;

    public Standstill() {
        this(System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public Standstill(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.watch = new Watch(OF_REQUESTS, nanoTime);
    }

    /**
     * Reports that the calling thread runs, and calls again within that time.
     *
     * @return its delay in ns if a standstill has just ended, else 0
     */
    public long running(long againWithinNanos) {
        return watch.run(againWithinNanos, this::ended);
    }

    /** Reports that the calling thread waits without a limit: until its next call no standstill is detected. */
    public void idle() {
        running(0);
        watch.idle();
    }

    private void ended(long late) {
        endedAt = nanoTime.getAsLong();
        hasEnded = true;
    }

    public boolean endedAfter(long nanos) {
        // Another thread than the reporting one may run first.
        return watch.present() > 0 || hasEnded && endedAt - nanos > 0;
    }

    /** Whether a standstill has ended so recently that requests from before its end may still be read. */
    public boolean isRecent() {
        return watch.present() > 0 || hasEnded && nanoTime.getAsLong() - endedAt < RECENT_NANOS;
    }

    /** Measures the standstills of a part that runs regularly, on one thread at a time. */
    public static final class Watch {

        private final long longestNanos;
        private final LongSupplier nanoTime;
        private final AtomicLong expectedAt;
        private final AtomicLong ranNanos = new AtomicLong();
        /** False before the first run. */
        private volatile boolean isExpected;

        private volatile long lastRun;

        /** @param longest a longer delay is a standstill */
        public Watch(Duration longest, LongSupplier nanoTime) {
            this.longestNanos = longest.toNanos();
            this.nanoTime = nanoTime;
            this.lastRun = nanoTime.getAsLong();
            this.expectedAt = new AtomicLong(lastRun);
        }

        /** Returns the standstill since the last call in ns, or 0. */
        public long run() {
            return run(standstill -> {});
        }

        /** @param onStandstill called with a standstill in ns; until its end other threads find it, too */
        public long run(LongConsumer onStandstill) {
            return run(0, onStandstill);
        }

        private long run(long againWithinNanos, LongConsumer onStandstill) {
            long now = nanoTime.getAsLong();
            long standstill = late(now, expectedAt.get());
            ranNanos.addAndGet(Math.min(now - lastRun, longestNanos));
            lastRun = now;
            if (standstill > 0) {
                onStandstill.accept(standstill);
            }
            expectedAt.set(now + againWithinNanos);
            isExpected = true;
            return standstill;
        }

        private void idle() {
            isExpected = false;
        }

        /** A standstill in ns that no run has ended, or 0. */
        public long present() {
            return late(nanoTime.getAsLong(), expectedAt.get());
        }

        /** Like {@link #present}, and ends the standstill, so that only the first caller gets it. */
        public long end() {
            long expected = expectedAt.get();
            long now = nanoTime.getAsLong();
            long standstill = late(now, expected);
            return standstill > 0 && expectedAt.compareAndSet(expected, now) ? standstill : 0;
        }

        private long late(long now, long expected) {
            long late = now - expected;
            return isExpected && late > longestNanos ? late : 0;
        }

        /** Counts the limit of each standstill. */
        public long ranNanos() {
            return ranNanos.get();
        }
    }
}

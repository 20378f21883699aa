package io.cairn.server.cluster.replication;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The run time of this node. Holds are measured by it: after a pause, the messages that end a hold are still unread. */
final class RunTime {

    /** A node that was stopped for longer has not waited in that time. */
    private static final long MOST_BETWEEN_CALLS_NANOS = Duration.ofSeconds(2).toNanos();

    private final LongSupplier nanoTime;
    private final AtomicLong runNanos = new AtomicLong();
    private final AtomicLong lastCallNanos;
    /** The time before the first call is the join, and no pause. */
    private volatile boolean started;

    RunTime(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lastCallNanos = new AtomicLong(nanoTime.getAsLong());
    }

    long nanos() {
        return runNanos.get();
    }

    /** Whether this node did not run for so long that a client may have moved between two other nodes. */
    boolean hasPaused() {
        return started && nanoTime.getAsLong() - lastCallNanos.get() > MOST_BETWEEN_CALLS_NANOS;
    }

    /**
     * To be called every second, by one thread.
     *
     * @param afterPause called after a pause
     */
    void advance(Runnable afterPause) {
        long now = nanoTime.getAsLong();
        long pause = now - lastCallNanos.get();
        runNanos.addAndGet(Math.min(pause, MOST_BETWEEN_CALLS_NANOS));
        if (started && pause > MOST_BETWEEN_CALLS_NANOS) {
            afterPause.run();
        }
        // Comes last: until then each thread finds the pause by itself.
        lastCallNanos.set(now);
        started = true;
    }
}

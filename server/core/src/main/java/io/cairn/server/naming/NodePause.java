package io.cairn.server.naming;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Detects that this node did not run for a while, because its process was suspended or collected garbage. After such a
 * pause, time-outs fire only because nothing was read meanwhile. Thread-safe.
 */
final class NodePause {

    /** Shorter pauses do not make a client go to another node. */
    static final Duration LEAST = Duration.ofSeconds(4);

    private final LongSupplier nanoTime;
    private final AtomicLong lastRun = new AtomicLong();
    private volatile boolean started;
    private volatile boolean found;
    private volatile boolean foundSinceRun;

    NodePause(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Notes that this node runs; to be called every second.
     *
     * @return whether a pause was found since the call before, so that what has happened in it may still wait for other threads
     */
    synchronized boolean ran() {
        lastRun.set(nanoTime.getAsLong());
        started = true;
        boolean isJustFound = foundSinceRun;
        foundSinceRun = false;
        return isJustFound;
    }

    /** True when there was a pause since this was called last. */
    boolean find() {
        if (!started) {
            return false;
        }
        long now = nanoTime.getAsLong();
        long last = lastRun.get();
        return now - last > LEAST.toNanos() && note(last, now);
    }

    /** One of the threads that find the same pause notes it; {@link #ran} comes before or after as a whole. */
    private synchronized boolean note(long last, long now) {
        if (!lastRun.compareAndSet(last, now)) {
            return false;
        }
        found = true;
        foundSinceRun = true;
        return true;
    }

    /** Whether there was a pause, and this node has not caught up with the others since. */
    boolean isFound() {
        return found;
    }

    /** This node has caught up with the others. */
    synchronized void caughtUp() {
        found = false;
    }
}

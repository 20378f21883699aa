package io.cairn.server.naming.lease;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Detects that this node did not run for a while, by suspension or garbage collection. Time-outs after it fire only because nothing
 * was read meanwhile.
 */
final class NodePause {

    /** A shorter pause makes no client move. */
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
     * To be called every second.
     *
     * @return whether there was a pause since the last call, whose events may still wait for other threads
     */
    synchronized boolean ran() {
        lastRun.set(nanoTime.getAsLong());
        started = true;
        boolean isJustFound = foundSinceRun;
        foundSinceRun = false;
        return isJustFound;
    }

    /** Whether there was a pause since the last call. */
    boolean find() {
        if (!started) {
            return false;
        }
        long now = nanoTime.getAsLong();
        long last = lastRun.get();
        return now - last > LEAST.toNanos() && note(last, now);
    }

    /** One of several threads notes the pause; {@link #ran} comes entirely before or after. */
    private synchronized boolean note(long last, long now) {
        if (!lastRun.compareAndSet(last, now)) {
            return false;
        }
        found = true;
        foundSinceRun = true;
        return true;
    }

    /** Whether there was a pause without a catch-up since. */
    boolean isFound() {
        return found;
    }

    synchronized void caughtUp() {
        found = false;
    }
}

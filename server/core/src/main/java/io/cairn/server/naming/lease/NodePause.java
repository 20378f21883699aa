package io.cairn.server.naming.lease;

import io.cairn.server.timer.Standstill;
import java.util.function.LongSupplier;

/**
 * Keeps whether this node did not run for a while, by suspension or garbage collection. Time-outs after it fire only because nothing
 * was read meanwhile.
 */
final class NodePause {

    private final Standstill.Watch watch;
    private volatile boolean found;
    private volatile boolean foundSinceRun;

    NodePause(LongSupplier nanoTime) {
        this.watch = new Standstill.Watch(Standstill.OF_LEASES, nanoTime);
    }

    /**
     * To be called every second.
     *
     * @return whether there was a pause since the last call, whose events may still wait for other threads
     */
    synchronized boolean ran() {
        watch.run();
        boolean isJustFound = foundSinceRun;
        foundSinceRun = false;
        return isJustFound;
    }

    /** Whether there was a pause since the last call. */
    boolean find() {
        return watch.present() > 0 && note();
    }

    /** The first thread to find the pause notes it, with the lock of {@link #ran}. */
    private synchronized boolean note() {
        if (watch.end() == 0) {
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

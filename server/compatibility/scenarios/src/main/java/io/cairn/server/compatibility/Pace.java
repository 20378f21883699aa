package io.cairn.server.compatibility;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A rate that a loop keeps, however long its work takes. For one thread. */
final class Pace {
    private final long start = System.nanoTime();
    private final long pauseNanos;
    private long next = start;

    Pace(Duration pause) {
        this.pauseNanos = pause.toNanos();
    }

    /** Waits until the next turn. A loop that is late does not wait, and does not make up for the turns that it missed. */
    void await() throws InterruptedException {
        next = Math.max(next + pauseNanos, System.nanoTime());
        for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** The time since this pace was set. */
    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}

package io.cairn.server.compatibility;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A steady rate of a loop. For one thread. */
final class Pace {
    private final long start = System.nanoTime();
    private final long pauseNanos;
    private long next = start;

    Pace(Duration pause) {
        this.pauseNanos = pause.toNanos();
    }

    /** Waits for the next turn. A late loop continues at once, and skips missed turns. */
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

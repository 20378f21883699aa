package io.cairn.server.storage.writer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The right to read the store and show it, so that no commit of this node falls between. The writer's thread lends it while it
 * waits for other nodes: then all of its commits are shown.
 */
final class WriterTurn {

    @GuardedBy("this")
    private boolean isLent;

    @GuardedBy("this")
    private long lentNanos;

    @GuardedBy("this")
    private boolean isBorrowed;

    /** The writer's thread begins to wait for other nodes. */
    synchronized void lend() {
        isLent = true;
        lentNanos = System.nanoTime();
    }

    /** The writer's thread goes on; blocks until the borrower has ended. */
    void takeBack() {
        boolean isBack;
        do {
            isBack = isTakenBack(Duration.ofMinutes(1));
        } while (!isBack);
    }

    /** As {@link #takeBack()}; false when the borrower needs longer. No other can begin meanwhile. */
    synchronized boolean isTakenBack(Duration within) {
        isLent = false;
        long deadline = System.nanoTime() + within.toNanos();
        boolean isInterrupted = false;
        while (isBorrowed) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                break;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return !isBorrowed;
    }

    /** Whether it is free, and the writer's thread has waited for that time. */
    synchronized boolean isToBorrow(Duration afterWaiting) {
        return isLent && !isBorrowed && System.nanoTime() - lentNanos >= afterWaiting.toNanos();
    }

    /** Takes it if {@link #isToBorrow}; the caller must return it then. */
    synchronized boolean borrow(Duration afterWaiting) {
        boolean isBorrower = isToBorrow(afterWaiting);
        isBorrowed |= isBorrower;
        return isBorrower;
    }

    /** The borrower has shown its results. */
    synchronized void release() {
        isBorrowed = false;
        notifyAll();
    }
}

package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the former connection open during a move, until the new server has all registrations and subscriptions. Other nodes
 * receive the new registration and the end of the old one by different paths, so the connection stays open for
 * {@link #SETTLE} after that.
 */
final class Handover {

    static final Duration SETTLE = Duration.ofSeconds(1);

    /** The limit for a move, even when the new server is incomplete. */
    static final Duration LONGEST = Duration.ofSeconds(30);

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final long CHECK_MILLIS = 50;

    private final Threads threads;
    private final BooleanSupplier inStep;

    @GuardedBy("this")
    private @Nullable Connection leaving;

    @GuardedBy("this")
    private long beganNanos;

    @GuardedBy("this")
    private boolean complete;

    @GuardedBy("this")
    private long completeNanos;

    @GuardedBy("this")
    private @Nullable Runnable afterwards;

    Handover(Threads threads, BooleanSupplier inStep) {
        this.threads = threads;
        this.inStep = inStep;
    }

    /** The former connection; null outside a move. */
    synchronized @Nullable Connection leaving() {
        return leaving;
    }

    /** Starts to end the former connection; no other move may be in progress. */
    void begin(Connection old) {
        synchronized (this) {
            leaving = old;
            beganNanos = System.nanoTime();
            complete = false;
        }
        checkSoon();
    }

    /** Runs a task after the present move, replacing an earlier task; returns false outside a move. */
    synchronized boolean then(Runnable next) {
        if (leaving == null) {
            return false;
        }
        afterwards = next;
        return true;
    }

    private void checkSoon() {
        threads.timer().schedule(this::check, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void check() {
        boolean has = inStep.getAsBoolean();
        Connection old;
        Runnable next;
        synchronized (this) {
            old = leaving;
            if (old == null) {
                return;
            }
            long now = System.nanoTime();
            if (has && !complete) {
                complete = true;
                completeNanos = now;
            }
            boolean late = now - beganNanos > LONGEST.toNanos();
            boolean settled = complete && now - completeNanos >= SETTLE.toNanos() && old.idle();
            if (!old.ended() && !late && !settled) {
                checkSoon();
                return;
            }
            if (late && !complete) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The connection to {0} ends, {1} s after the client has left it: the new server has not yet taken all"
                                + " registrations and subscriptions, and is still being asked",
                        old.address(),
                        LONGEST.toSeconds());
            }
            leaving = null;
            next = afterwards;
            afterwards = null;
        }
        old.close();
        if (next != null) {
            next.run();
        }
    }

    void close() {
        Connection old;
        synchronized (this) {
            old = leaving;
            leaving = null;
            afterwards = null;
        }
        if (old != null) {
            old.close();
        }
    }
}

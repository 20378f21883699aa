package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the connection that a move leaves until the new server has all that the old one had. What was registered over the old
 * connection goes when it ends, and the other nodes of a cluster are told of that on another path than of the new registration: so
 * it stays for a moment longer. Thread-safe.
 */
final class Handover {

    /** For how long the old connection stays once the new server has everything. */
    static final Duration SETTLE = Duration.ofSeconds(1);

    /** It goes then, whatever the new server has. */
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

    /** @param inStep whether there is a new connection, and its server has all that is wanted */
    Handover(Threads threads, BooleanSupplier inStep) {
        this.threads = threads;
        this.inStep = inStep;
    }

    /** The connection that is being left; null when there is none. */
    synchronized @Nullable Connection leaving() {
        return leaving;
    }

    /** Lets that connection go in time; the new one is in use already, and there is no other that is being left. */
    void begin(Connection old) {
        synchronized (this) {
            leaving = old;
            beganNanos = System.nanoTime();
            complete = false;
        }
        checkSoon();
    }

    /** Runs that when the present handover is over, in the place of an earlier one; false when there is none. */
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

    /** Ends the connection that is being left at once. */
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

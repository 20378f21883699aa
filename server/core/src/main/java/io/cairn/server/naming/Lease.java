package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The time that an instance lives without a heartbeat. A heartbeat only records its time. When the time-out on the
 * timer wheel fires, it reads that time and is set again for the remaining time.
 */
final class Lease {

    private static final long MIN_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private volatile Terms terms;
    private volatile long lastBeatNanos;

    @GuardedBy("this")
    private @Nullable Timeout timeout;

    /** Written with this object's lock held, so that no time-out is set after the end. */
    private volatile boolean ended;

    /** Changed with the lock of the publisher held. */
    private volatile boolean overdue;

    private volatile boolean awaited;

    /** The times that the metadata of an instance ask for; the interval is 0 for the usual one. */
    private record Terms(long unhealthyAfterNanos, long removedAfterNanos, long beatIntervalMillis) {

        static Terms of(Instance instance) {
            return new Terms(
                    TimeUnit.MILLISECONDS.toNanos(instance.beatTimeout().toMillis()),
                    TimeUnit.MILLISECONDS.toNanos(instance.deleteTimeout().toMillis()),
                    BeatResult.of(instance).intervalMillis());
        }
    }

    Lease(Instance instance, long nowNanos) {
        this.terms = Terms.of(instance);
        this.lastBeatNanos = nowNanos;
        // A beat makes any instance healthy, also one that was remembered as silent.
        this.overdue = !instance.healthy();
    }

    /**
     * Uses the metadata of the instance with its override applied.
     *
     * @return whether the terms have changed
     */
    boolean follow(Instance shown) {
        Terms now = Terms.of(shown);
        boolean differs = !now.equals(terms);
        terms = now;
        return differs;
    }

    void beat(long nowNanos) {
        lastBeatNanos = nowNanos;
        if (awaited) {
            awaited = false;
        }
    }

    /** When it last beat, or was registered. */
    long lastBeatNanos() {
        return lastBeatNanos;
    }

    /** It is known from before a restart or was adopted from another node, and its client has not been back at this node. */
    void awaitFirstBeat() {
        awaited = true;
    }

    boolean isAwaited() {
        return awaited;
    }

    /** The interval that is asked for; 0 for the usual one. */
    long beatIntervalMillis() {
        return terms.beatIntervalMillis;
    }

    /** @param renewedNanos when all leases have begun again */
    private long silentNanos(long nowNanos, long renewedNanos) {
        return Math.min(nowNanos - lastBeatNanos, nowNanos - renewedNanos);
    }

    boolean isOverdue(long nowNanos, long renewedNanos) {
        return silentNanos(nowNanos, renewedNanos) >= terms.unhealthyAfterNanos;
    }

    boolean isExpired(long nowNanos, long renewedNanos) {
        return silentNanos(nowNanos, renewedNanos) >= terms.removedAfterNanos;
    }

    /** The time until the next check of the lease. */
    long nanosUntilNextCheck(long nowNanos, long renewedNanos) {
        Terms present = terms;
        long soonest = Math.min(present.unhealthyAfterNanos, present.removedAfterNanos);
        long silent = silentNanos(nowNanos, renewedNanos);
        if (silent >= present.removedAfterNanos) {
            // Where instances are not removed, it is enough to look now and then whether it beats again.
            return Math.max(MIN_CHECK_NANOS, soonest);
        }
        long due = silent < present.unhealthyAfterNanos ? soonest : present.removedAfterNanos;
        return Math.max(MIN_CHECK_NANOS, due - silent);
    }

    /** Notes that the instance was marked unhealthy because of its silence; true when it was not before. */
    boolean markOverdue() {
        boolean first = !overdue;
        overdue = true;
        return first;
    }

    /** Notes that it beats again; true when it was overdue. */
    boolean clearOverdue() {
        boolean was = overdue;
        overdue = false;
        return was;
    }

    /** Replaces the time-out of the next check by the one that the function makes. */
    synchronized void watchedBy(Supplier<Timeout> watching) {
        Timeout before = timeout;
        if (before != null) {
            before.cancel();
        }
        timeout = ended ? null : watching.get();
    }

    /** False for a time-out that went off while it was being replaced. */
    @SuppressWarnings("ReferenceEquality") // this time-out, not one like it
    synchronized boolean isWatchedBy(Timeout fired) {
        return timeout == fired;
    }

    synchronized void end() {
        ended = true;
        Timeout watching = timeout;
        if (watching != null) {
            watching.cancel();
        }
    }

    boolean isEnded() {
        return ended;
    }
}

package io.cairn.server.naming.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.server.naming.BeatResult;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An instance's life without heartbeats. A heartbeat only records its time; the time-out on the timer wheel reads it and is set
 * again for the rest.
 */
public final class Lease {

    private static final long MIN_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private volatile Terms terms;
    private volatile long lastBeatNanos;

    @GuardedBy("this")
    private @Nullable Timeout timeout;

    /** Written with this lock held, so that no time-out is set after the end. */
    private volatile boolean ended;

    /** Changed with the lock of the publisher held. */
    private volatile boolean overdue;

    private volatile boolean awaited;

    /** The times requested by metadata; the interval is 0 for the default. */
    private record Terms(long unhealthyAfterNanos, long removedAfterNanos, long beatIntervalMillis) {

        static Terms of(Instance instance) {
            return new Terms(
                    TimeUnit.MILLISECONDS.toNanos(instance.beatTimeout().toMillis()),
                    TimeUnit.MILLISECONDS.toNanos(instance.deleteTimeout().toMillis()),
                    BeatResult.of(instance).intervalMillis());
        }
    }

    public Lease(Instance instance, long nowNanos) {
        this.terms = Terms.of(instance);
        this.lastBeatNanos = nowNanos;
        // A heartbeat makes any instance healthy, even one remembered as silent.
        this.overdue = !instance.healthy();
    }

    /**
     * Uses the metadata with the override applied.
     *
     * @return whether the terms have changed
     */
    public boolean follow(Instance shown) {
        Terms now = Terms.of(shown);
        boolean differs = !now.equals(terms);
        terms = now;
        return differs;
    }

    public void beat(long nowNanos) {
        lastBeatNanos = nowNanos;
        if (awaited) {
            awaited = false;
        }
    }

    /** The last heartbeat or registration. */
    public long lastBeatNanos() {
        return lastBeatNanos;
    }

    /** Known from before a restart or adopted, without a return of its client here. */
    public void awaitFirstBeat() {
        awaited = true;
    }

    public boolean isAwaited() {
        return awaited;
    }

    /** The longest delay of the silence, so that the instance is removed after {@link RecoveryWindow#LONGEST}. */
    public long longestWaitNanos() {
        return Math.max(0, RecoveryWindow.LONGEST.toNanos() - terms.removedAfterNanos);
    }

    /** The requested interval; 0 for the default. */
    public long beatIntervalMillis() {
        return terms.beatIntervalMillis;
    }

    /** @param sinceNanos the earliest begin of the silence */
    private long silentNanos(long nowNanos, long sinceNanos) {
        return Math.min(nowNanos - lastBeatNanos, nowNanos - sinceNanos);
    }

    public boolean isOverdue(long nowNanos, long sinceNanos) {
        return silentNanos(nowNanos, sinceNanos) >= terms.unhealthyAfterNanos;
    }

    public boolean isExpired(long nowNanos, long sinceNanos) {
        return silentNanos(nowNanos, sinceNanos) >= terms.removedAfterNanos;
    }

    public long nanosUntilNextCheck(long nowNanos, long sinceNanos) {
        Terms present = terms;
        long soonest = Math.min(present.unhealthyAfterNanos, present.removedAfterNanos);
        long silent = silentNanos(nowNanos, sinceNanos);
        if (silent >= present.removedAfterNanos) {
            // Without removal, checks for a new heartbeat may be rare.
            return Math.max(MIN_CHECK_NANOS, soonest);
        }
        long due = silent < present.unhealthyAfterNanos ? soonest : present.removedAfterNanos;
        return Math.max(MIN_CHECK_NANOS, due - silent);
    }

    /** Marks the instance overdue; true the first time. */
    public boolean markOverdue() {
        boolean first = !overdue;
        overdue = true;
        return first;
    }

    /** Heartbeats returned; true when it was overdue. */
    public boolean clearOverdue() {
        boolean was = overdue;
        overdue = false;
        return was;
    }

    /** Replaces the time-out of the next check. */
    public synchronized void watchedBy(Supplier<Timeout> watching) {
        Timeout before = timeout;
        if (before != null) {
            before.cancel();
        }
        timeout = ended ? null : watching.get();
    }

    /** False for a time-out that went off while it was being replaced. */
    @SuppressWarnings("ReferenceEquality") // this time-out, not one like it
    public synchronized boolean isWatchedBy(Timeout fired) {
        return timeout == fired;
    }

    public synchronized void end() {
        ended = true;
        Timeout watching = timeout;
        if (watching != null) {
            watching.cancel();
        }
    }

    public boolean isEnded() {
        return ended;
    }
}

package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long an instance lives without a beat. A beat only notes the time; the time-out on the wheel looks at it when it
 * goes off, and is set anew for what is left.
 */
final class Lease {

    private static final long MIN_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final long unhealthyAfterNanos;
    private final long removedAfterNanos;
    private final long beatIntervalMillis;
    private volatile long lastBeatNanos;
    private volatile @Nullable Timeout timeout;
    private volatile boolean ended;
    private volatile boolean overdue;

    Lease(Instance instance, long nowNanos) {
        this.unhealthyAfterNanos =
                TimeUnit.MILLISECONDS.toNanos(instance.beatTimeout().toMillis());
        this.removedAfterNanos =
                TimeUnit.MILLISECONDS.toNanos(instance.deleteTimeout().toMillis());
        this.beatIntervalMillis = instance.metadata().containsKey(Instance.BEAT_INTERVAL)
                ? instance.beatInterval().toMillis()
                : 0;
        this.lastBeatNanos = nowNanos;
        // A beat makes any instance healthy, also one that was remembered as silent.
        this.overdue = !instance.healthy();
    }

    void beat(long nowNanos) {
        lastBeatNanos = nowNanos;
    }

    /** The interval its publisher has asked for; 0 for the usual one. */
    long beatIntervalMillis() {
        return beatIntervalMillis;
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - lastBeatNanos >= unhealthyAfterNanos;
    }

    boolean isExpired(long nowNanos) {
        return nowNanos - lastBeatNanos >= removedAfterNanos;
    }

    /** How long until it must be looked at again. */
    long nanosUntilNextCheck(long nowNanos) {
        long silent = nowNanos - lastBeatNanos;
        if (silent >= removedAfterNanos) {
            // Where instances are not removed, it is enough to look now and then whether it beats again.
            return Math.max(MIN_CHECK_NANOS, Math.min(unhealthyAfterNanos, removedAfterNanos));
        }
        long due = silent < unhealthyAfterNanos ? Math.min(unhealthyAfterNanos, removedAfterNanos) : removedAfterNanos;
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

    void watchedBy(Timeout watching) {
        timeout = watching;
        if (ended) {
            watching.cancel();
        }
    }

    void end() {
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

package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.micrometer.core.instrument.Counter;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies listeners again that acknowledged a change and did not follow it. A client may lose an acknowledged push: the Go client
 * loses a push that arrives while it handles the answer to a listen, and would keep the old content for five minutes. A client has
 * followed when it listens with the new digest or, with the Python SDK, has read the content.
 *
 * <p>Listeners are checked 10 s after the last change, and while some are behind, after further pauses of 20, 40, 80 and 160 s;
 * then they do not want the change. A listener is notified of one key at a time. The queue retries unacknowledged pushes. ADR 38
 * and 39 are in docs/internals/sdk-quirks.md.
 */
public final class MissedChangeRetry {

    /** From a change to the first check of its listeners, in production. */
    public static final Duration FIRST = Duration.ofSeconds(10);

    private static final int LONGER = 2;
    /** In units of the first pause. */
    private static final int LONGEST = 16;
    /** The time between two notices of a client, which might lose both together. */
    static final Duration BETWEEN = Duration.ofMillis(50);

    private static final Logger log = LoggerFactory.getLogger(MissedChangeRetry.class);

    private final Subscriptions<ConfigKey> subscriptions;
    private final Judge judge;
    private final Notifier notifier;
    private final Counter again;
    private final Timer timer;
    private final Executor executor;
    private final long firstNanos;
    private final LongSupplier nanoTime;
    private Late late = (watched, watcher) -> {};
    private final ConcurrentHashMap<ConfigKey, Check> checks = new ConcurrentHashMap<>();
    /** The keys of each listener's further notices. */
    private final ConcurrentHashMap<Watcher, Set<WatchedKey<ConfigKey>>> rows = new ConcurrentHashMap<>();

    /** Decides whether a client has another version than the current one. */
    @FunctionalInterface
    public interface Judge {
        boolean isBehind(WatchedKey<ConfigKey> watched, Watcher watcher);
    }

    /** Receives a listener that has not followed a change. */
    @FunctionalInterface
    public interface Late {
        void late(WatchedKey<ConfigKey> watched, Watcher watcher);
    }

    /** Notifies one watcher. */
    @FunctionalInterface
    public interface Notifier {
        void notify(WatchedKey<ConfigKey> watched, Watcher watcher);
    }

    /**
     * @param executor checks the listeners, which may be many
     * @param first from a change to the first check
     */
    public record Schedule(Timer timer, Executor executor, Duration first) {}

    /** @param again counts repeated notices */
    public MissedChangeRetry(
            Subscriptions<ConfigKey> subscriptions, Judge judge, Notifier notifier, Counter again, Schedule schedule) {
        this(subscriptions, judge, notifier, again, schedule, System::nanoTime);
    }

    MissedChangeRetry(
            Subscriptions<ConfigKey> subscriptions,
            Judge judge,
            Notifier notifier,
            Counter again,
            Schedule schedule,
            LongSupplier nanoTime) {
        this.subscriptions = subscriptions;
        this.judge = judge;
        this.notifier = notifier;
        this.again = again;
        this.timer = schedule.timer();
        this.executor = schedule.executor();
        this.firstNanos = schedule.first().toNanos();
        this.nanoTime = nanoTime;
    }

    /** Sets the observer of the listeners that have not followed a change at its first check. Before the first change. */
    public void onLate(Late observer) {
        late = observer;
    }

    /** Schedules the check of a change; returns at once. */
    public void changed(ConfigKey key) {
        if (subscriptions.find(key) == null) {
            return;
        }
        long now = nanoTime.getAsLong();
        checks.compute(key, (same, known) -> {
            if (known != null && known.pauseNanos == firstNanos) {
                known.changedNanos = now;
                return known;
            }
            Check check = new Check(now, firstNanos);
            checkAfter(check.pauseNanos, key, check);
            return check;
        });
    }

    private void checkAfter(long nanos, ConfigKey key, Check check) {
        timer.newTimeout(
                fired -> {
                    try {
                        executor.execute(() -> check(key, check));
                    } catch (RejectedExecutionException e) {
                        log.debug("The listeners of {} are checked later, because the executor is busy", key, e);
                        checkAfter(firstNanos, key, check);
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    private void check(ConfigKey key, Check check) {
        if (checks.get(key) != check) {
            // A later change has scheduled its own check.
            return;
        }
        long changed = check.changedNanos;
        long early = firstNanos - (nanoTime.getAsLong() - changed);
        if (early > 0) {
            checkAfter(early, key, check);
            return;
        }
        boolean isAnyoneLate = isAnyoneLate(key, check.pauseNanos == firstNanos);
        checks.computeIfPresent(key, (same, present) -> {
            if (present != check) {
                return present;
            }
            if (check.changedNanos == changed) {
                if (!isAnyoneLate || check.pauseNanos >= firstNanos * LONGEST) {
                    return null;
                }
                check.pauseNanos *= LONGER;
            }
            checkAfter(check.pauseNanos, key, check);
            return check;
        });
    }

    /** Notifies the listeners behind; true if there are any, or after a failure, for another check. */
    private boolean isAnyoneLate(ConfigKey key, boolean isFirstCheck) {
        try {
            return notifyLate(key, isFirstCheck) > 0;
        } catch (RuntimeException | OutOfMemoryError e) {
            log.warn("The listeners of {} could not be checked after its change; the next check retries it", key, e);
            return true;
        }
    }

    private int notifyLate(ConfigKey key, boolean isFirstCheck) {
        WatchedKey<ConfigKey> watched = subscriptions.find(key);
        if (watched == null) {
            return 0;
        }
        int behind = 0;
        for (Watcher watcher : watched.watching()) {
            if (judge.isBehind(watched, watcher)) {
                if (isFirstCheck) {
                    late.late(watched, watcher);
                }
                notifyInTurn(watched, watcher);
                behind++;
            }
        }
        if (behind > 0) {
            log.debug("{} listeners of {} have not followed its change and are notified again", behind, key);
        }
        return behind;
    }

    private void notifyInTurn(WatchedKey<ConfigKey> watched, Watcher watcher) {
        rows.compute(watcher, (same, present) -> {
            if (present != null) {
                present.add(watched);
                return present;
            }
            inTurnAfter(0, watcher);
            return new LinkedHashSet<>(List.of(watched));
        });
    }

    private void inTurnAfter(long nanos, Watcher watcher) {
        timer.newTimeout(
                fired -> {
                    try {
                        executor.execute(() -> continueRow(watcher));
                    } catch (RejectedExecutionException e) {
                        log.debug("A listener is notified again later, because the executor is busy", e);
                        inTurnAfter(firstNanos, watcher);
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    private void continueRow(Watcher watcher) {
        boolean isMore;
        try {
            isMore = notifyNext(watcher);
        } catch (RuntimeException | OutOfMemoryError e) {
            log.warn("A listener could not be notified again of a change; the next check retries it", e);
            isMore = true;
        }
        // An empty row stays for one more pause, so that the next notice is delayed, too.
        if (isMore) {
            inTurnAfter(BETWEEN.toNanos(), watcher);
        }
    }

    /** Notifies the listener of the first outdated key in its row; false without one. */
    private boolean notifyNext(Watcher watcher) {
        WatchedKey<ConfigKey> next = takeNext(watcher);
        while (next != null && !judge.isBehind(next, watcher)) {
            next = takeNext(watcher);
        }
        if (next == null) {
            return false;
        }
        WatchedKey<ConfigKey> notified = next;
        watcher.remind(notified, () -> {
            again.increment();
            notifier.notify(notified, watcher);
        });
        return true;
    }

    /** The next key of a listener's row; null removes the empty row. */
    private @Nullable WatchedKey<ConfigKey> takeNext(Watcher watcher) {
        AtomicReference<@Nullable WatchedKey<ConfigKey>> next = new AtomicReference<>();
        rows.computeIfPresent(watcher, (same, row) -> {
            Iterator<WatchedKey<ConfigKey>> first = row.iterator();
            if (!first.hasNext()) {
                return null;
            }
            next.set(first.next());
            first.remove();
            return row;
        });
        return next.get();
    }

    /** Changes to check and listeners to notify, for tests. */
    int pending() {
        return checks.size() + rows.size();
    }

    /** The checks of one key; changed only while the key's map entry is locked. */
    private static final class Check {

        private volatile long changedNanos;
        /** Before the next check; the first waits for a pause without changes. */
        private long pauseNanos;

        Check(long changedNanos, long pauseNanos) {
            this.changedNanos = changedNanos;
            this.pauseNanos = pauseNanos;
        }
    }
}

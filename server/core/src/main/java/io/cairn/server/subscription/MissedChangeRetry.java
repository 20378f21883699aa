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
 * Tells those listeners of a change again who were told of it and did not follow. A client may acknowledge a push and lose it
 * all the same: that of Go forgets one that comes in while it takes in the answer to a listen, and would stay behind for five
 * minutes. Who has followed listens with it anew, or, with an SDK for Python, has read it.
 *
 * <p>After 10 s without another change its listeners are looked at, and again after pauses of 20, 40, 80 and 160 s as long as
 * somebody is behind; who is still behind then does not want it. One listener is told of one key after the other. A push that
 * was not acknowledged is repeated anyhow, by its queue. ADR 38 and 39 are in
 * docs/internals/sdk-quirks.md. Thread-safe.
 */
public final class MissedChangeRetry {

    /** The pause between a change and the first look at its listeners, in production. */
    public static final Duration FIRST = Duration.ofSeconds(10);

    private static final int LONGER = 2;
    /** The longest pause between two looks, in units of the first pause. */
    private static final int LONGEST = 16;
    /** Time enough for a client to ask for one change before it is told of the next: together it might lose them again. */
    static final Duration BETWEEN = Duration.ofMillis(50);

    private static final Logger log = LoggerFactory.getLogger(MissedChangeRetry.class);

    private final Subscriptions<ConfigKey> subscriptions;
    private final Judge judge;
    private final Teller teller;
    private final Counter again;
    private final Timer timer;
    private final Executor executor;
    private final long firstNanos;
    private final LongSupplier nanoTime;
    private final ConcurrentHashMap<ConfigKey, Look> looks = new ConcurrentHashMap<>();
    /** What each listener is still to be told again. */
    private final ConcurrentHashMap<Watcher, Set<WatchedKey<ConfigKey>>> rows = new ConcurrentHashMap<>();

    /** Whether somebody has another version than he should have. */
    @FunctionalInterface
    public interface Judge {
        boolean isBehind(WatchedKey<ConfigKey> watched, Watcher watcher);
    }

    /** Tells one watcher that it has changed. */
    @FunctionalInterface
    public interface Teller {
        void tell(WatchedKey<ConfigKey> watched, Watcher watcher);
    }

    /**
     * @param again counts who is told again
     * @param executor looks at listeners, of which a key may have very many
     * @param first the pause between a change and the first look at its listeners
     */
    public MissedChangeRetry(
            Subscriptions<ConfigKey> subscriptions,
            Judge judge,
            Teller teller,
            Counter again,
            Timer timer,
            Executor executor,
            Duration first) {
        this(subscriptions, judge, teller, again, timer, executor, first, System::nanoTime);
    }

    MissedChangeRetry(
            Subscriptions<ConfigKey> subscriptions,
            Judge judge,
            Teller teller,
            Counter again,
            Timer timer,
            Executor executor,
            Duration first,
            LongSupplier nanoTime) {
        this.subscriptions = subscriptions;
        this.judge = judge;
        this.teller = teller;
        this.again = again;
        this.timer = timer;
        this.executor = executor;
        this.firstNanos = first.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Its listeners are being told of a change; returns at once. */
    public void changed(ConfigKey key) {
        if (subscriptions.find(key) == null) {
            return;
        }
        long now = nanoTime.getAsLong();
        looks.compute(key, (same, known) -> {
            if (known != null && known.pauseNanos == firstNanos) {
                known.changedNanos = now;
                return known;
            }
            Look look = new Look(now, firstNanos);
            lookAfter(look.pauseNanos, key, look);
            return look;
        });
    }

    private void lookAfter(long nanos, ConfigKey key, Look look) {
        timer.newTimeout(
                fired -> {
                    try {
                        executor.execute(() -> look(key, look));
                    } catch (RejectedExecutionException e) {
                        log.debug("Too much to do to look who has followed the change of {}; later", key, e);
                        lookAfter(firstNanos, key, look);
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    private void look(ConfigKey key, Look look) {
        if (looks.get(key) != look) {
            // It waited for long; a change since then has a look of its own, which comes sooner.
            return;
        }
        long changed = look.changedNanos;
        long early = firstNanos - (nanoTime.getAsLong() - changed);
        if (early > 0) {
            lookAfter(early, key, look);
            return;
        }
        boolean isAnyoneLate = isAnyoneLate(key);
        looks.computeIfPresent(key, (same, present) -> {
            if (present != look) {
                return present;
            }
            if (look.changedNanos == changed) {
                if (!isAnyoneLate || look.pauseNanos >= firstNanos * LONGEST) {
                    return null;
                }
                look.pauseNanos *= LONGER;
            }
            lookAfter(look.pauseNanos, key, look);
            return look;
        });
    }

    /** Tells who is late in turn; after a failure somebody may be, so that there is another look. */
    private boolean isAnyoneLate(ConfigKey key) {
        try {
            return tellLate(key) > 0;
        } catch (RuntimeException | OutOfMemoryError e) {
            log.warn("Who has followed the change of {} could not be looked at; it is tried again", key, e);
            return true;
        }
    }

    private int tellLate(ConfigKey key) {
        WatchedKey<ConfigKey> watched = subscriptions.find(key);
        if (watched == null) {
            return 0;
        }
        int late = 0;
        for (Watcher watcher : watched.watching()) {
            if (judge.isBehind(watched, watcher)) {
                tellInTurn(watched, watcher);
                late++;
            }
        }
        if (late > 0) {
            log.debug("{} of the listeners of {} have not followed its change and are told again", late, key);
        }
        return late;
    }

    private void tellInTurn(WatchedKey<ConfigKey> watched, Watcher watcher) {
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
                        log.debug("Too much to do to tell a listener again; later", e);
                        inTurnAfter(firstNanos, watcher);
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    private void continueRow(Watcher watcher) {
        boolean isMore;
        try {
            isMore = tellNext(watcher);
        } catch (RuntimeException | OutOfMemoryError e) {
            log.warn("A listener could not be told again of a change; it is tried again with the next look", e);
            isMore = true;
        }
        // A row lives for one pause longer than what stands in it, for the next who comes keeps his distance, too.
        if (isMore) {
            inTurnAfter(BETWEEN.toNanos(), watcher);
        }
    }

    /** Tells of the first in the row that the listener is still behind with; false when the row has ended. */
    private boolean tellNext(Watcher watcher) {
        WatchedKey<ConfigKey> next = takeNext(watcher);
        while (next != null && !judge.isBehind(next, watcher)) {
            next = takeNext(watcher);
        }
        if (next == null) {
            return false;
        }
        WatchedKey<ConfigKey> told = next;
        watcher.remind(told, () -> {
            again.increment();
            teller.tell(told, watcher);
        });
        return true;
    }

    /** The next in the row of a listener; null when it is empty, which ends it. */
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

    /** Changes that are still to be looked at, and listeners that are still to be told, for tests. */
    int pending() {
        return looks.size() + rows.size();
    }

    /** The looks at one key, one after the other; who changes it holds its place in the map. */
    private static final class Look {

        private volatile long changedNanos;
        /** The pause before the next look; the first one waits until there was no change for so long. */
        private long pauseNanos;

        Look(long changedNanos, long pauseNanos) {
            this.changedNanos = changedNanos;
            this.pauseNanos = pauseNanos;
        }
    }
}

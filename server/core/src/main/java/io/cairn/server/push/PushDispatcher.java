package io.cairn.server.push;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatches changes to watchers. The announcing thread only queues the key, unless it has few watchers. One thread finds the
 * watchers and passes them to their event loops in slices, so that a change with a hundred thousand watchers neither blocks the
 * writer nor occupies an event loop for long. A key that changes again before its turn is dispatched once, with its newest state:
 * memory is bounded by the watched keys. With a {@link Pace}, a key cools down after its dispatch, and its changes meanwhile are
 * dispatched together.
 *
 * @param <K> the type of the key
 */
public final class PushDispatcher<K> implements AutoCloseable {

    private static final int SLICE = 256;
    private static final int FEW = 16;
    /** Pauses that a busy thread ends in one call. */
    private static final int ENDED_AT_ONCE = 64;

    private static final Logger log = LoggerFactory.getLogger(PushDispatcher.class);

    private final Subscriptions<K> subscriptions;
    private final PushFactory<K> factory;
    private final Pace pace;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<K, Long> waiting = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final Map<K, CoolDown<K>> coolingDown = new HashMap<>();

    @GuardedBy("lock")
    private final PriorityQueue<CoolDown<K>> coolDowns = new PriorityQueue<>();

    private final Thread thread;
    /** The number of changed keys in a cool-down. */
    @GuardedBy("lock")
    private int changedAtRest;

    @GuardedBy("lock")
    private boolean closed;

    /** Null if the watchers have the current state. Called with the lock of the watched key held. */
    @FunctionalInterface
    public interface PushFactory<K> {
        @Nullable
        Push create(WatchedKey<K> watched, long committedNanos);
    }

    /** The cool-down of a key after a dispatch to that many watchers, in ns, or 0. */
    @FunctionalInterface
    public interface Pace {
        long coolDownNanos(Push push, int watchers);
    }

    /** Dispatches every change at once. */
    public PushDispatcher(String name, Subscriptions<K> subscriptions, PushFactory<K> factory) {
        this(name, subscriptions, factory, (push, watchers) -> 0);
    }

    public PushDispatcher(String name, Subscriptions<K> subscriptions, PushFactory<K> factory, Pace pace) {
        this.subscriptions = subscriptions;
        this.factory = factory;
        this.pace = pace;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Queues a changed key; returns at once. */
    public void changed(K key) {
        WatchedKey<K> watched = subscriptions.find(key);
        if (watched == null) {
            return;
        }
        long now = System.nanoTime();
        boolean few = watched.watchers() <= FEW;
        synchronized (lock) {
            CoolDown<K> coolDown = coolDownOf(key, now);
            if (coolDown != null) {
                if (coolDown.changed(now)) {
                    changedAtRest++;
                    lock.notifyAll();
                }
                return;
            }
            if (!few) {
                waiting.putIfAbsent(key, now);
                lock.notifyAll();
                return;
            }
        }
        // For few watchers, a dispatch here is cheaper and faster than waking the other thread.
        dispatchSafely(key, now);
    }

    /** Dispatches the key's present state, unless its watchers have it, before the end of a cool-down. */
    public void dispatchNow(K key) {
        dispatchSafely(key, System.nanoTime());
    }

    /** The changed keys whose watchers wait for the change. */
    public int pending() {
        synchronized (lock) {
            return waiting.size() + changedAtRest;
        }
    }

    /** Dispatches the current state to one watcher, in order with the dispatches to all. */
    public void dispatchTo(WatchedKey<K> watched, Watcher watcher) {
        synchronized (watched) {
            Object before = watched.state();
            Push news = factory.create(watched, System.nanoTime());
            Push push = news;
            if (news == null) {
                // All other watchers have the current state.
                watched.forgetShown();
                push = factory.create(watched, System.nanoTime());
            }
            if (push != null) {
                execute(watcher.loop(), new Slice(watched, push, new Watcher[] {watcher}, 0, 1));
            }
            if (!watched.isOnlyWatcher(watcher)) {
                // Only this watcher got the state. The next change must be described to the others by their state.
                watched.restore(before);
                if (news != null) {
                    // A pending change must still be dispatched to the others.
                    watched.forgetShown();
                }
            }
        }
    }

    private void run() {
        ArrayDeque<Map.Entry<K, Long>> turn = new ArrayDeque<>();
        while (takeTurn(turn)) {
            for (Map.Entry<K, Long> entry = turn.poll(); entry != null; entry = turn.poll()) {
                dispatchSafely(entry.getKey(), entry.getValue());
            }
        }
    }

    private boolean takeTurn(ArrayDeque<Map.Entry<K, Long>> turn) {
        synchronized (lock) {
            while (!closed) {
                long now = System.nanoTime();
                endCoolDowns(now, Integer.MAX_VALUE);
                if (!waiting.isEmpty()) {
                    waiting.forEach((key, nanos) -> turn.add(Map.entry(key, nanos)));
                    waiting.clear();
                    return true;
                }
                CoolDown<K> next = coolDowns.peek();
                try {
                    if (next == null || changedAtRest == 0) {
                        // A cool-down without a change needs no wake-up at its end: this saves two wake-ups for each
                        // change.
                        lock.wait();
                    } else {
                        // At least a millisecond, because shorter waits save nothing.
                        lock.wait(Math.max(1, (next.untilNanos - now + 999_999) / 1_000_000));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            return false;
        }
    }

    /** The key's current cool-down, in which changes are only recorded, or null. */
    @GuardedBy("lock")
    private @Nullable CoolDown<K> coolDownOf(K key, long now) {
        endCoolDowns(now, ENDED_AT_ONCE);
        CoolDown<K> coolDown = coolingDown.get(key);
        if (coolDown != null && !coolDown.hasChanged && coolDown.untilNanos - now <= 0) {
            coolingDown.remove(key);
            return null;
        }
        return coolDown;
    }

    /** Ends expired cool-downs, oldest first, and queues keys that changed meanwhile. */
    @GuardedBy("lock")
    private void endCoolDowns(long now, int atMost) {
        CoolDown<K> coolDown = coolDowns.peek();
        for (int i = 0; i < atMost && coolDown != null && coolDown.untilNanos - now <= 0; i++) {
            coolDowns.poll();
            coolingDown.remove(coolDown.key, coolDown);
            if (coolDown.hasChanged) {
                changedAtRest--;
                waiting.putIfAbsent(coolDown.key, coolDown.sinceNanos);
            }
            coolDown = coolDowns.peek();
        }
    }

    private void dispatchSafely(K key, long committedNanos) {
        try {
            dispatch(key, committedNanos);
        } catch (RuntimeException | Error e) {
            // A failed key must not end the thread that dispatches all others.
            log.error("Change of {} could not be dispatched to its watchers", key, e);
        }
    }

    private void dispatch(K key, long committedNanos) {
        WatchedKey<K> watched = subscriptions.find(key);
        if (watched == null) {
            return;
        }
        Push push;
        int count;
        // Two threads may dispatch changes of a key: the later state must also be the later push.
        synchronized (watched) {
            push = factory.create(watched, committedNanos);
            if (push == null) {
                return;
            }
            WatchedKey.Shares shares = watched.shares();
            Watcher[] watchers = shares.watchers();
            count = watchers.length;
            int from = 0;
            for (int end : shares.ends()) {
                Executor loop = watchers[from].loop();
                while (from < end) {
                    int to = Math.min(end, from + SLICE);
                    execute(loop, new Slice(watched, push, watchers, from, to));
                    from = to;
                }
            }
        }
        coolDown(key, pace.coolDownNanos(push, count));
    }

    private void coolDown(K key, long nanos) {
        if (nanos <= 0) {
            return;
        }
        synchronized (lock) {
            long now = System.nanoTime();
            if (coolDownOf(key, now) == null) {
                CoolDown<K> coolDown = new CoolDown<>(key, now + nanos);
                coolingDown.put(key, coolDown);
                coolDowns.add(coolDown);
            }
        }
    }

    private static void execute(Executor loop, Slice slice) {
        try {
            loop.execute(slice);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop has ended; its connections are closed", e);
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
    }

    /** The cool-down of a key after a dispatch, during which its changes are only recorded. Guarded by the lock of the dispatcher. */
    private static final class CoolDown<K> implements Comparable<CoolDown<K>> {

        private final K key;
        private final long untilNanos;
        private long sinceNanos;
        private boolean hasChanged;

        CoolDown(K key, long untilNanos) {
            this.key = key;
            this.untilNanos = untilNanos;
        }

        boolean changed(long nanos) {
            boolean isFirst = !hasChanged;
            if (isFirst) {
                hasChanged = true;
                sinceNanos = nanos;
            }
            return isFirst;
        }

        @Override
        public int compareTo(CoolDown<K> other) {
            return Long.signum(untilNanos - other.untilNanos);
        }
    }

    /** Up to {@link #SLICE} watchers of one event loop. */
    private static final class Slice implements Runnable {

        private final WatchedKey<?> watched;
        private final Push push;
        private final Watcher[] watchers;
        private final int from;
        private final int to;

        Slice(WatchedKey<?> watched, Push push, Watcher[] watchers, int from, int to) {
            this.watched = watched;
            this.push = push;
            this.watchers = watchers;
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            for (int i = from; i < to; i++) {
                notifyWatcher(watchers[i]);
            }
        }

        private void giveUp(Watcher watcher, Throwable why) {
            try {
                watcher.missed(why.toString());
            } catch (RuntimeException | OutOfMemoryError e) {
                log.error("A watcher of {} that missed a change could not be given up", watched.key(), e);
            }
        }

        private void notifyWatcher(Watcher watcher) {
            try {
                watcher.changed(watched, push.forWatcher(watcher));
            } catch (RuntimeException | OutOfMemoryError e) {
                // Netty throws OutOfMemoryError, too, when thousands are notified at once; the other watchers must
                // still be notified.
                log.error("Change of {} could not be dispatched to one of its watchers", watched.key(), e);
                giveUp(watcher, e);
            }
        }
    }
}

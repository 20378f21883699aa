package io.cairn.server.push;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings changes to their watchers. The announcing thread only leaves the key here, unless few watch it; one thread of this class looks up
 * who watches it and hands the event loops their share in slices, so that a change with a hundred thousand watchers
 * neither holds up the writer nor keeps a loop from its other work. A key that changes again before its turn is brought
 * once, in its newest state: memory is bounded by the number of watched keys. Thread-safe.
 *
 * @param <K> the type of the key
 */
public final class PushDispatcher<K> implements AutoCloseable {

    private static final int SLICE = 256;
    private static final int FEW = 16;
    private static final Logger log = LoggerFactory.getLogger(PushDispatcher.class);

    private final Subscriptions<K> subscriptions;
    private final PushFactory<K> factory;
    private final Map<K, Long> waiting = new LinkedHashMap<>();
    private final Thread thread;
    private boolean closed;

    /** Makes the push for a change of a key. */
    @FunctionalInterface
    public interface PushFactory<K> {
        Push create(K key, long committedNanos);
    }

    public PushDispatcher(String name, Subscriptions<K> subscriptions, PushFactory<K> factory) {
        this.subscriptions = subscriptions;
        this.factory = factory;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Leaves a changed key to be brought to its watchers; returns at once. */
    public void changed(K key) {
        Watched<K> watched = subscriptions.find(key);
        if (watched == null) {
            return;
        }
        long now = System.nanoTime();
        if (watched.watchers() <= FEW) {
            // Handing a few to their event loops costs less than waking the other thread, and is sooner.
            bringSafely(key, now);
            return;
        }
        synchronized (waiting) {
            waiting.putIfAbsent(key, now);
            waiting.notify();
        }
    }

    private void run() {
        ArrayDeque<Map.Entry<K, Long>> turn = new ArrayDeque<>();
        while (takeTurn(turn)) {
            for (Map.Entry<K, Long> entry = turn.poll(); entry != null; entry = turn.poll()) {
                bringSafely(entry.getKey(), entry.getValue());
            }
        }
    }

    private boolean takeTurn(ArrayDeque<Map.Entry<K, Long>> turn) {
        synchronized (waiting) {
            while (waiting.isEmpty() && !closed) {
                try {
                    waiting.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            waiting.forEach((key, nanos) -> turn.add(Map.entry(key, nanos)));
            waiting.clear();
            return !closed;
        }
    }

    private void bringSafely(K key, long committedNanos) {
        try {
            bring(key, committedNanos);
        } catch (RuntimeException | Error e) {
            // One key that cannot be brought must not end the thread that brings all others.
            log.error("Change of {} could not be brought to its watchers", key, e);
        }
    }

    private void bring(K key, long committedNanos) {
        Watched<K> watched = subscriptions.find(key);
        if (watched == null) {
            return;
        }
        Watcher[] watchers = watched.snapshot();
        Push push = factory.create(key, committedNanos);
        IdentityHashMap<Executor, Slice> open = new IdentityHashMap<>();
        for (Watcher watcher : watchers) {
            Slice slice = open.computeIfAbsent(watcher.loop(), loop -> new Slice(watched, push));
            if (slice.add(watcher)) {
                hand(watcher.loop(), slice);
                open.remove(watcher.loop());
            }
        }
        open.forEach(PushDispatcher::hand);
    }

    private static void hand(Executor loop, Slice slice) {
        try {
            loop.execute(slice);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop has ended; its connections are gone", e);
        }
    }

    @Override
    public void close() {
        synchronized (waiting) {
            closed = true;
            waiting.notifyAll();
        }
    }

    /** Up to {@link #SLICE} watchers of one event loop. */
    private static final class Slice implements Runnable {

        private final Watched<?> watched;
        private final Push push;
        private @Nullable Watcher[] watchers = new @Nullable Watcher[4];
        private int size;

        Slice(Watched<?> watched, Push push) {
            this.watched = watched;
            this.push = push;
        }

        boolean add(Watcher watcher) {
            if (size == watchers.length) {
                watchers = Arrays.copyOf(watchers, SLICE);
            }
            watchers[size++] = watcher;
            return size == SLICE;
        }

        @Override
        public void run() {
            for (int i = 0; i < size; i++) {
                Watcher watcher = watchers[i];
                if (watcher != null) {
                    tell(watcher);
                }
            }
        }

        private void tell(Watcher watcher) {
            try {
                watcher.changed(watched, push);
            } catch (RuntimeException e) {
                log.error("Change of {} could not be brought to one of its watchers", watched.key(), e);
            }
        }
    }
}

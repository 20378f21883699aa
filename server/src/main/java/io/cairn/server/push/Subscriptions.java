package io.cairn.server.push;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Who watches what. Thread-safe.
 *
 * <p>To miss nothing, a watcher first {@linkplain #watch registers} and then compares what it has with the present
 * state: a change before the registration shows in the comparison, a later one is pushed.
 *
 * @param <K> the type of the key
 */
public final class Subscriptions<K> {

    private final ConcurrentHashMap<K, Watched<K>> byKey = new ConcurrentHashMap<>();
    private final AtomicLong ordinals = new AtomicLong();
    private final LongAdder pairs = new LongAdder();

    /** Registers the watcher, which must not be registered for the key already. */
    public Watched<K> watch(K key, Watcher watcher) {
        pairs.increment();
        while (true) {
            Watched<K> watched = find(key);
            if (watched == null) {
                watched = byKey.computeIfAbsent(key, absent -> new Watched<>(absent, ordinals.getAndIncrement()));
            }
            if (watched.add(watcher)) {
                return watched;
            }
            // Its last watcher left between our look-up and now.
            byKey.remove(key, watched);
        }
    }

    /** Takes the watcher off, which must be registered and goes on living. */
    public void unwatch(Watched<K> watched, Watcher watcher) {
        pairs.decrement();
        if (watched.remove(watcher)) {
            byKey.remove(watched.key(), watched);
        }
    }

    /** Takes off a watcher that {@linkplain Watcher#isClosed is closed}; cheap, however many watch the same key. */
    public void closed(Watched<K> watched) {
        pairs.decrement();
        if (watched.oneClosed()) {
            byKey.remove(watched.key(), watched);
        }
    }

    /** The key with its watchers, or null when nobody watches it. */
    public @Nullable Watched<K> find(K key) {
        return byKey.get(key);
    }

    /** The number of keys that somebody watches. */
    public int keys() {
        return byKey.size();
    }

    /** The number of pairs of a watcher and a key. */
    public long pairs() {
        return pairs.sum();
    }
}

package io.cairn.server.push;

import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
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

    private final ConcurrentHashMap<K, WatchedKey<K>> byKey = new ConcurrentHashMap<>();
    private final AtomicLong ordinals;
    private final Consumer<K> unwatched;
    private final LongAdder pairs = new LongAdder();
    private volatile Consumer<K> follower = key -> {};

    public Subscriptions() {
        this(new AtomicLong());
    }

    /** @param ordinals numbers the keys; shared by all subscriptions whose keys one watcher keeps in one list */
    public Subscriptions(AtomicLong ordinals) {
        this(ordinals, key -> {});
    }

    /** @param unwatched called with a key that has lost its last watcher, who may have been followed by another since */
    public Subscriptions(AtomicLong ordinals, Consumer<K> unwatched) {
        this.ordinals = ordinals;
        this.unwatched = unwatched;
    }

    /** Calls the follower whenever a watcher of a key comes, goes or has another state; it must be very quick. */
    public void follow(Consumer<K> listener) {
        follower = listener;
    }

    /** Says that a watcher of the key has told what it has. */
    public void told(K key) {
        follower.accept(key);
    }

    /** Registers the watcher, which must not be registered for the key already. */
    public WatchedKey<K> watch(K key, Watcher watcher) {
        pairs.increment();
        while (true) {
            WatchedKey<K> watched = find(key);
            if (watched == null) {
                watched = byKey.computeIfAbsent(
                        key, absent -> new WatchedKey<>(absent, ordinals.getAndIncrement(), this));
            }
            if (watched.add(watcher)) {
                return watched;
            }
            // Its last watcher left between our look-up and now.
            forget(watched);
        }
    }

    private void forget(WatchedKey<K> watched) {
        if (byKey.remove(watched.key(), watched)) {
            unwatched.accept(watched.key());
        }
    }

    /** Takes the watcher off, which must be registered and goes on living. */
    public void unwatch(WatchedKey<K> watched, Watcher watcher) {
        pairs.decrement();
        if (watched.remove(watcher)) {
            forget(watched);
        }
        told(watched.key());
    }

    /** Takes off a watcher that {@linkplain Watcher#isClosed is closed}; cheap, however many watch the same key. */
    public void closed(WatchedKey<K> watched) {
        pairs.decrement();
        if (watched.oneClosed()) {
            forget(watched);
        }
        told(watched.key());
    }

    /** The key with its watchers, or null when nobody watches it. */
    public @Nullable WatchedKey<K> find(K key) {
        return byKey.get(key);
    }

    /** All keys that somebody watches. */
    public Collection<WatchedKey<K>> all() {
        return Collections.unmodifiableCollection(byKey.values());
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

package io.cairn.server.push;

import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The watchers of each key.
 *
 * <p>To miss no change, a watcher first {@linkplain #watch registers} and then compares its state with the current one: an earlier
 * change shows in the comparison, a later one is pushed.
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

    /** @param ordinals numbers the keys; shared by all subscriptions whose keys a watcher keeps in one list */
    public Subscriptions(AtomicLong ordinals) {
        this(ordinals, key -> {});
    }

    /** @param unwatched called with a key that lost its last watcher; it may have a new one by then */
    public Subscriptions(AtomicLong ordinals, Consumer<K> unwatched) {
        this.ordinals = ordinals;
        this.unwatched = unwatched;
    }

    /** Called for added and removed watchers of a key, and for reported states; must be very quick. */
    public void follow(Consumer<K> listener) {
        follower = listener;
    }

    /** A watcher of the key has reported its state. */
    public void reported(K key) {
        follower.accept(key);
    }

    /** Adds a watcher that is not registered for the key. */
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
            // Its last watcher was removed between the look-up and this call.
            forget(watched);
        }
    }

    private void forget(WatchedKey<K> watched) {
        if (byKey.remove(watched.key(), watched)) {
            unwatched.accept(watched.key());
        }
    }

    /** Removes a registered, open watcher. */
    public void unwatch(WatchedKey<K> watched, Watcher watcher) {
        pairs.decrement();
        if (watched.remove(watcher)) {
            forget(watched);
        }
        reported(watched.key());
    }

    /** Removes a {@linkplain Watcher#isClosed closed} watcher, at a constant cost. */
    public void closed(WatchedKey<K> watched) {
        pairs.decrement();
        if (watched.oneClosed()) {
            forget(watched);
        }
        reported(watched.key());
    }

    /** Null without watchers. */
    public @Nullable WatchedKey<K> find(K key) {
        return byKey.get(key);
    }

    public Collection<WatchedKey<K>> all() {
        return Collections.unmodifiableCollection(byKey.values());
    }

    public int keys() {
        return byKey.size();
    }

    public long pairs() {
        return pairs.sum();
    }
}

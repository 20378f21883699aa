package io.cairn.server.push;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A key and its watchers, at four bytes for each. A closed watcher is not searched: the list is swept when a quarter is closed, so
 * many closes at once cost one pass.
 *
 * <p>The lock protects the list. {@link PushDispatcher} also holds it while it makes a push and passes it to the event loops, so
 * that the later state is sent later. Lock order: {@code ConnectionWatches} precedes this lock; the lock of a service follows it.
 *
 * @param <K> the type of the key
 */
public final class WatchedKey<K> {

    private static final Watcher[] NONE = {};

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<WatchedKey> IN_FIRST_SPELLING =
            AtomicIntegerFieldUpdater.newUpdater(WatchedKey.class, "inFirstVariant");

    private final K key;
    private final long ordinal;
    private final Subscriptions<K> home;
    /** Written with this lock held, read without it. */
    private volatile @Nullable Object lastShown;

    @GuardedBy("this")
    private Watcher[] watchers = NONE;

    /** The end of each event loop's watchers in the list, which is grouped by loop; null after a change of the list. */
    @GuardedBy("this")
    private int @Nullable [] ends;

    /** Written with this lock held; {@link #watchers()} reads it without. */
    private volatile int size;

    /** Written with this lock held; {@link #watchers()} reads it without. */
    private volatile int closed;

    /** Changed by the watching connections, under their locks instead of this one. */
    private volatile int inFirstVariant;

    @GuardedBy("this")
    private boolean retired;

    WatchedKey(K key, long ordinal, Subscriptions<K> home) {
        this.key = key;
        this.ordinal = ordinal;
        this.home = home;
    }

    public K key() {
        return key;
    }

    /** The order of the key in connections' lists. */
    public long ordinal() {
        return ordinal;
    }

    /** Removes a {@linkplain Watcher#isClosed closed} watcher. */
    public void closed() {
        home.closed(this);
    }

    /** A state that some watchers were notified of. */
    private record Forgotten(Object state) {}

    /** The last state that watchers were notified of, or null. */
    public @Nullable Object lastShown() {
        Object state = lastShown;
        return state instanceof Forgotten ? null : state;
    }

    /** As {@link #lastShown}, also for a {@linkplain #forgetShown forgotten} state. */
    public @Nullable Object formerlyShown() {
        Object state = lastShown;
        return state instanceof Forgotten forgotten ? forgotten.state() : state;
    }

    @GuardedBy("this")
    public void shown(Object state) {
        lastShown = state;
    }

    /** For {@link #restore}; null before the first notification. */
    @Nullable
    Object state() {
        return lastShown;
    }

    /** Restores an earlier {@link #state()} of notifications. */
    @GuardedBy("this")
    void restore(@Nullable Object state) {
        lastShown = state;
    }

    public synchronized boolean isOnlyWatcher(Watcher watcher) {
        for (int i = 0; i < size; i++) {
            if (watchers[i] != watcher && !watchers[i].isClosed()) {
                return false;
            }
        }
        return true;
    }

    /** The next change is dispatched even if it returns to the last shown state. */
    @GuardedBy("this")
    public void forgetShown() {
        Object state = lastShown;
        if (state != null && !(state instanceof Forgotten)) {
            lastShown = new Forgotten(state);
        }
    }

    /** False when this object was dropped meanwhile; then another one must be made for the key. */
    synchronized boolean add(Watcher watcher) {
        if (retired) {
            return false;
        }
        if (size == watchers.length) {
            // A tenth in reserve: a list is long-lived, and growing it again is cheap.
            watchers = Arrays.copyOf(watchers, size + Math.max(1, size / 10));
        }
        watchers[size++] = watcher;
        ends = null;
        return true;
    }

    /** Removes an open watcher. True if it was the last. */
    synchronized boolean remove(Watcher watcher) {
        for (int i = 0; i < size; i++) {
            if (watchers[i] == watcher) {
                watchers[i] = watchers[--size];
                watchers[size] = null;
                ends = null;
                break;
            }
        }
        if (closed > 0 && closed * 4 >= size) {
            // Removed watchers shrink the list, so closed ones alone must not keep the key.
            sweep();
        }
        return retireIfEmpty();
    }

    /** Counts a closed watcher. True if it was the last. */
    synchronized boolean oneClosed() {
        closed++;
        if (closed * 4 >= size) {
            sweep();
        }
        return retireIfEmpty();
    }

    @GuardedBy("this")
    private void sweep() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (!watchers[i].isClosed()) {
                watchers[kept++] = watchers[i];
            }
        }
        // Also removes closed watchers without a report. Their report counts once too often, until the next sweep.
        closed = 0;
        size = kept;
        watchers = Arrays.copyOf(watchers, kept);
        ends = null;
    }

    @GuardedBy("this")
    private boolean retireIfEmpty() {
        if (size == 0) {
            retired = true;
            watchers = NONE;
            ends = null;
        }
        return retired;
    }

    public List<Watcher> watching() {
        return Stream.of(snapshot()).filter(watcher -> !watcher.isClosed()).toList();
    }

    synchronized Watcher[] snapshot() {
        return Arrays.copyOf(watchers, size);
    }

    /** By event loop. */
    synchronized Shares shares() {
        int[] present = ends;
        if (present == null) {
            present = arrange();
            ends = present;
        }
        return new Shares(snapshot(), present);
    }

    /** The loops of a thousand watchers are a thousand cache misses: once, and not for each change. */
    @GuardedBy("this")
    private int[] arrange() {
        var byLoop = new IdentityHashMap<Executor, List<Watcher>>();
        for (int i = 0; i < size; i++) {
            byLoop.computeIfAbsent(watchers[i].loop(), loop -> new ArrayList<>())
                    .add(watchers[i]);
        }
        int[] arranged = new int[byLoop.size()];
        int loops = 0;
        int next = 0;
        for (List<Watcher> share : byLoop.values()) {
            for (Watcher watcher : share) {
                watchers[next++] = watcher;
            }
            arranged[loops++] = next;
        }
        return arranged;
    }

    /**
     * Watchers grouped by event loop.
     *
     * @param ends the end of each loop's group
     */
    @SuppressWarnings("ArrayRecordComponent") // Read at once by its only caller
    record Shares(Watcher[] watchers, int[] ends) {}

    /** The connections that watch the key in variant 0, without waiting for a running dispatch. */
    public int inFirstVariant() {
        return inFirstVariant;
    }

    /** A connection begins (1) or ends (-1) to watch the key in variant 0. */
    public void addInFirstVariant(int change) {
        IN_FIRST_SPELLING.addAndGet(this, change);
    }

    /** Approximate, without waiting for a running dispatch. */
    int watchers() {
        int all = size;
        return all - Math.min(all, closed);
    }
}

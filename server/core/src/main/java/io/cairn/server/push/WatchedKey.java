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
 * A key and its watchers. Costs four bytes for each watcher. A closed watcher is not searched for: the list is swept
 * when a quarter of it is closed, so that many watchers that close at once cost one pass. Thread-safe.
 *
 * <p>The lock protects the list of watchers. {@link PushDispatcher} also holds it while it makes a push and passes it
 * to the event loops, so that of two pushes the one with the later state is sent later. Lock order:
 * {@code ConnectionWatches} is taken before this lock; the lock of a service is taken after it.
 *
 * @param <K> the type of the key
 */
public final class WatchedKey<K> {

    private static final Watcher[] NONE = {};

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<WatchedKey> IN_FIRST_SPELLING =
            AtomicIntegerFieldUpdater.newUpdater(WatchedKey.class, "inFirstSpelling");

    private final K key;
    private final long ordinal;
    private final Subscriptions<K> home;
    /** Written with this object's lock held, read without it. */
    private volatile @Nullable Object lastShown;

    @GuardedBy("this")
    private Watcher[] watchers = NONE;

    /**
     * Where the watchers of each event loop end in the list, which is grouped by loop; null if a watcher was added or
     * removed since.
     */
    @GuardedBy("this")
    private int @Nullable [] ends;

    /** Written with this object's lock held; {@link #watchers()} reads it without. */
    private volatile int size;

    /** Written with this object's lock held; {@link #watchers()} reads it without. */
    private volatile int closed;

    /** Changed by the connections that watch the key, with their locks held and not with this object's. */
    private volatile int inFirstSpelling;

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

    /** A number of its own, by which connections keep their lists in order. */
    public long ordinal() {
        return ordinal;
    }

    /** Takes off one of its watchers that {@linkplain Watcher#isClosed is closed}. */
    public void closed() {
        home.closed(this);
    }

    /** A state that watchers were notified of, but perhaps not all of them. */
    private record Forgotten(Object state) {}

    /** The state that the watchers were last notified of; null before the first notification. */
    public @Nullable Object lastShown() {
        Object state = lastShown;
        return state instanceof Forgotten ? null : state;
    }

    /** As {@link #lastShown}, but also a state that was {@linkplain #forgetShown forgotten} since. */
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

    /** Sets the record of notifications back to an earlier {@link #state()}. */
    @GuardedBy("this")
    void restore(@Nullable Object state) {
        lastShown = state;
    }

    /** Whether there is no other watcher. */
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

    /** False when this object was given up meanwhile and another one must be made for the key. */
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

    /** Removes a watcher that is not closed. True if no watcher is left. */
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

    /** Counts a watcher as closed. True if no watcher is left. */
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
        // This also removes closed watchers that have not reported it yet. Their later report counts once too often,
        // until the next sweep.
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

    /** The current watchers. */
    public List<Watcher> watching() {
        return Stream.of(snapshot()).filter(watcher -> !watcher.isClosed()).toList();
    }

    synchronized Watcher[] snapshot() {
        return Arrays.copyOf(watchers, size);
    }

    /** The current watchers, by event loop. */
    synchronized Shares shares() {
        int[] present = ends;
        if (present == null) {
            present = arrange();
            ends = present;
        }
        return new Shares(snapshot(), present);
    }

    /** Asking a thousand watchers for their loops is a thousand cache misses: once, and not for each change. */
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
     * Watchers, those of one event loop side by side.
     *
     * @param ends where those of each loop end, which begin where those of the loop before end
     */
    @SuppressWarnings("ArrayRecordComponent") // read at once by who asked for it, and by nobody else
    record Shares(Watcher[] watchers, int[] ends) {}

    /** The number of connections that watch the key in spelling 0, without waiting for a running dispatch. */
    public int inFirstSpelling() {
        return inFirstSpelling;
    }

    /** Called by a connection that begins (1) or ends (-1) to watch the key in spelling 0. */
    public void addInFirstSpelling(int change) {
        IN_FIRST_SPELLING.addAndGet(this, change);
    }

    /** The approximate number of watchers, without waiting for a running dispatch. */
    int watchers() {
        int all = size;
        return all - Math.min(all, closed);
    }
}

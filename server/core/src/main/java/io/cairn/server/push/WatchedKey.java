package io.cairn.server.push;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One key and those who watch it. Costs four bytes a watcher: a closed one is not searched for, but swept out when a
 * quarter of the list is closed, so that many leaving at once cost one pass. Thread-safe.
 *
 * <p>The lock protects the list of watchers. {@link PushDispatcher} also holds it while it makes a push and hands it to the
 * event loops, so that of two pushes the one with the later state is sent later. Lock order: {@code ConnectionWatches} is
 * taken before this lock; the lock of a service is taken after it.
 *
 * @param <K> the type of the key
 */
public final class WatchedKey<K> {

    private static final Watcher[] NONE = {};

    private final K key;
    private final long ordinal;
    private final Subscriptions<K> home;
    /** Written with this object's lock held, read without it. */
    private volatile @Nullable Object lastShown;

    @GuardedBy("this")
    private Watcher[] watchers = NONE;

    /** Where the watchers of each event loop end, where they stand side by side; null when somebody came or left since. */
    @GuardedBy("this")
    private int @Nullable [] ends;

    /** Written with this object's lock held; {@link #watchers()} reads it without. */
    private volatile int size;

    /** Written with this object's lock held; {@link #watchers()} reads it without. */
    private volatile int closed;

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

    /** The state that the watchers were last notified of; null before the first notification. */
    public @Nullable Object lastShown() {
        return lastShown;
    }

    @GuardedBy("this")
    public void shown(Object state) {
        lastShown = state;
    }

    /** Whether nobody else watches. */
    public synchronized boolean isOnlyWatcher(Watcher watcher) {
        for (int i = 0; i < size; i++) {
            if (watchers[i] != watcher && !watchers[i].isClosed()) {
                return false;
            }
        }
        return true;
    }

    /** The next change is brought even if it leads back to what was last shown. */
    @GuardedBy("this")
    public void forgetShown() {
        lastShown = null;
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

    /** Takes out a watcher that goes on living. True when nobody is left. */
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
            // Where those who go on living leave, the closed ones must not be what keeps the key.
            sweep();
        }
        return retireIfEmpty();
    }

    /** Notes that one of the watchers has closed. True when nobody is left. */
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
        // Those too are out who have not said so yet: when they do, they count once too often, until the next sweep.
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

    /** Those who watch at the moment. */
    public List<Watcher> watching() {
        return Stream.of(snapshot()).filter(watcher -> !watcher.isClosed()).toList();
    }

    synchronized Watcher[] snapshot() {
        return Arrays.copyOf(watchers, size);
    }

    /** Those who watch at the moment, by event loop. */
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

    /** About how many watch, without waiting for whoever is telling them something. */
    int watchers() {
        int all = size;
        return all - Math.min(all, closed);
    }
}

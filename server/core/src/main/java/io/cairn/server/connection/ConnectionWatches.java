package io.cairn.server.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.push.WatchedKey;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection's watched keys and their variants: arrays in the order of {@link WatchedKey#ordinal}, five bytes for each key,
 * and four more for known contents. Written by the connection's event loop, read by any thread.
 *
 * <p>The lock protects the arrays. Subscribing and unsubscribing hold it from search to registration, so that a key is registered
 * once. Lock order: this lock precedes that of a {@link WatchedKey}.
 */
public final class ConnectionWatches {

    private static final WatchedKey<?>[] NONE = {};
    private static final byte[] NO_SPELLINGS = {};

    @GuardedBy("this")
    private WatchedKey<?>[] watched = NONE;

    @GuardedBy("this")
    private byte[] variants = NO_SPELLINGS;

    /** Parallel to the other arrays; null without known contents. */
    @GuardedBy("this")
    private @Nullable ContentDigest @Nullable [] held;

    @GuardedBy("this")
    private int size;

    /** Grows the arrays once for a batch. */
    public synchronized void reserve(int more) {
        if (size + more > watched.length) {
            watched = Arrays.copyOf(watched, size + more);
            variants = Arrays.copyOf(variants, size + more);
            held = held == null ? null : Arrays.copyOf(held, size + more);
        }
    }

    /** Frees unused capacity of {@link #reserve}. */
    public synchronized void trim() {
        if (watched.length - size > size / 8) {
            watched = Arrays.copyOf(watched, size);
            variants = Arrays.copyOf(variants, size);
            held = held == null ? null : Arrays.copyOf(held, size);
        }
    }

    /** Adds a new key. */
    public synchronized void add(WatchedKey<?> key, int variant) {
        int at = -find(key.ordinal()) - 1;
        if (size == watched.length) {
            reserve(Math.max(1, size / 8));
        }
        System.arraycopy(watched, at, watched, at + 1, size - at);
        System.arraycopy(variants, at, variants, at + 1, size - at);
        @Nullable ContentDigest[] known = held;
        if (known != null) {
            System.arraycopy(known, at, known, at + 1, size - at);
            known[at] = null;
        }
        watched[at] = key;
        variants[at] = (byte) variant;
        size++;
        count(key, variant, 1);
    }

    /** Keys count their watchers in variant 0. */
    private static void count(WatchedKey<?> key, int variant, int change) {
        if (variant == 0) {
            key.addInFirstVariant(change);
        }
    }

    /** Notes the present variant; false for an unwatched key. */
    public synchronized boolean changeVariant(WatchedKey<?> key, int variant) {
        int at = find(key.ordinal());
        if (at < 0) {
            return false;
        }
        count(key, variants[at], -1);
        count(key, variant, 1);
        variants[at] = (byte) variant;
        return true;
    }

    /** False for an unwatched key. */
    public synchronized boolean remove(WatchedKey<?> key) {
        int at = find(key.ordinal());
        if (at < 0) {
            return false;
        }
        count(key, variants[at], -1);
        size--;
        System.arraycopy(watched, at + 1, watched, at, size - at);
        System.arraycopy(variants, at + 1, variants, at, size - at);
        watched[size] = null;
        @Nullable ContentDigest[] known = held;
        if (known != null) {
            System.arraycopy(known, at + 1, known, at, size - at);
            known[size] = null;
        }
        return true;
    }

    /**
     * Stores the digest of the client's content; no effect for an unwatched key.
     *
     * @param digest preferably shared; null without a content
     * @return whether it has changed
     */
    public synchronized boolean holds(WatchedKey<?> key, @Nullable ContentDigest digest) {
        int at = find(key.ordinal());
        if (at < 0 || held == null && digest == null) {
            return false;
        }
        if (held == null) {
            held = new @Nullable ContentDigest[watched.length];
        }
        boolean isOther = !Objects.equals(held[at], digest);
        held[at] = digest;
        return isOther;
    }

    /** The digest of the client's content; null without one, or for an unwatched key. */
    public synchronized @Nullable ContentDigest held(WatchedKey<?> key) {
        int at = find(key.ordinal());
        return at < 0 || held == null ? null : held[at];
    }

    /** -1 for an unwatched key. */
    public synchronized int variant(WatchedKey<?> key) {
        int at = find(key.ordinal());
        return at < 0 ? -1 : variants[at];
    }

    public synchronized List<WatchedKey<?>> all() {
        return List.of(Arrays.copyOf(watched, size));
    }

    public synchronized int size() {
        return size;
    }

    /** Empties the set into the consumer. */
    public void clear(Consumer<WatchedKey<?>> each) {
        @Nullable WatchedKey<?>[] left;
        byte[] leftSpellings;
        int count;
        synchronized (this) {
            left = watched;
            leftSpellings = variants;
            count = size;
            watched = NONE;
            variants = NO_SPELLINGS;
            held = null;
            size = 0;
        }
        for (int i = 0; i < count; i++) {
            WatchedKey<?> key = left[i];
            if (key != null) {
                count(key, leftSpellings[i], -1);
                each.accept(key);
            }
        }
    }

    @GuardedBy("this")
    private int find(long ordinal) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long seen = watched[middle].ordinal();
            if (seen < ordinal) {
                low = middle + 1;
            } else if (seen > ordinal) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -low - 1;
    }
}

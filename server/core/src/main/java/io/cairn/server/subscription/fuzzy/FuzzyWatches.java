package io.cairn.server.subscription.fuzzy;

import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.connection.ClientConnection;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The fuzzy watches of this server. A change is matched with every pattern; without patterns it costs one check.
 *
 * @param <K> the type of the watched objects
 */
public final class FuzzyWatches<K> {

    private final ConcurrentHashMap<Key, WatchedPattern<K>> patterns = new ConcurrentHashMap<>();
    private final FuzzyNames<K> names;
    private final FuzzyMessages messages;
    private final FuzzyLimits limits;

    /** Connections with the same scope share the watch. */
    private record Key(String spelled, ReadScope visible) {}

    public FuzzyWatches(FuzzyNames<K> names, FuzzyMessages messages, FuzzyLimits limits) {
        this.names = names;
        this.messages = messages;
        this.limits = limits;
    }

    /**
     * Adds a connection's watch of a pattern, and pushes the differences between its and the matching names; also for a present
     * watch.
     *
     * @param spelled the pattern in the client's form
     * @param visible the readable names of the namespace
     * @param received the names of the client
     * @param initial whether the client waits for the end of the first comparison
     */
    public FuzzyOutcome watch(
            String spelled,
            FuzzyPattern pattern,
            ReadScope visible,
            ClientConnection connection,
            Iterable<String> received,
            boolean initial) {
        Key key = new Key(spelled, visible);
        leaveOthers(key, connection);
        FuzzyOutcome outcome = null;
        while (outcome == null) {
            WatchedPattern<K> watched = findOrAdd(key, pattern);
            if (watched == null) {
                return FuzzyOutcome.TOO_MANY_PATTERNS;
            }
            outcome = watched.watch(connection, received, initial);
            if (outcome == null) {
                // Its last watcher left meanwhile.
                patterns.remove(key, watched);
            }
        }
        if (connection.isClosed()) {
            // The connection closed meanwhile, perhaps before this watch was added.
            cancel(key, connection);
        }
        return outcome;
    }

    private @Nullable WatchedPattern<K> findOrAdd(Key key, FuzzyPattern pattern) {
        WatchedPattern<K> known = patterns.get(key);
        if (known != null) {
            return known;
        }
        // The lock joins the check of the limit and the addition; look-ups and removals need no lock.
        synchronized (this) {
            known = patterns.get(key);
            if (known == null && patterns.size() < limits.patterns()) {
                known = new WatchedPattern<>(key.spelled, pattern, key.visible, names, messages, limits.matches());
                patterns.put(key, known);
            }
            return known;
        }
    }

    /** Whether {@link #watch} must search all names, which may take long. */
    public boolean mustSearch(String spelled, ReadScope visible) {
        WatchedPattern<K> known = patterns.get(new Key(spelled, visible));
        return known == null || !known.isLoaded();
    }

    /** No effect without a watch. */
    public void cancel(String spelled, ClientConnection connection) {
        for (Key key : patterns.keySet()) {
            if (key.spelled.equals(spelled)) {
                cancel(key, connection);
            }
        }
    }

    /** A connection with a changed read scope keeps only the new watch. */
    private void leaveOthers(Key now, ClientConnection connection) {
        for (Key key : patterns.keySet()) {
            if (key.spelled.equals(now.spelled) && !key.equals(now)) {
                cancel(key, connection);
            }
        }
    }

    private void cancel(Key key, ClientConnection connection) {
        WatchedPattern<K> watched = patterns.get(key);
        if (watched != null && watched.unwatch(connection)) {
            patterns.remove(key, watched);
        }
    }

    public void closed(ClientConnection connection) {
        for (Key key : patterns.keySet()) {
            cancel(key, connection);
        }
    }

    /** Checks whether the presence of a name has changed. */
    public void changed(K name) {
        if (!patterns.isEmpty()) {
            patterns.values().forEach(pattern -> pattern.changed(name));
        }
    }

    /** Pairs of a watcher and a pattern. */
    public int pairs() {
        return patterns.values().stream().mapToInt(WatchedPattern::watchers).sum();
    }
}

package io.cairn.server.subscription.fuzzy;

import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.connection.ClientConnection;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The fuzzy watches of this server. A change is matched with every pattern; without patterns it costs one check.
 * Thread-safe.
 *
 * @param <K> the type of the watched objects
 */
public final class FuzzyWatches<K> {

    private final ConcurrentHashMap<Key, WatchedPattern<K>> patterns = new ConcurrentHashMap<>();
    private final FuzzyNames<K> names;
    private final FuzzyMessages messages;
    private final FuzzyLimits limits;

    /** A pattern and a read scope; connections with the same scope share the watch. */
    private record Key(String spelled, ReadScope visible) {}

    public FuzzyWatches(FuzzyNames<K> names, FuzzyMessages messages, FuzzyLimits limits) {
        this.names = names;
        this.messages = messages;
        this.limits = limits;
    }

    /**
     * Adds a connection's watch of a pattern, and pushes the differences between its names and the matching names. If
     * the connection watches the pattern already, its names are compared again.
     *
     * @param spelled the pattern as the client spells it
     * @param visible the names of the pattern's namespace that may be sent
     * @param received the names that the client believes to match
     * @param initial whether the client waits for the end of the initial comparison
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
                // Its last watcher left between our look-up and now.
                patterns.remove(key, watched);
            }
        }
        if (connection.isClosed()) {
            // The connection closed meanwhile, and its watches may have been removed before this one was added.
            cancel(key, connection);
        }
        return outcome;
    }

    private @Nullable WatchedPattern<K> findOrAdd(Key key, FuzzyPattern pattern) {
        WatchedPattern<K> known = patterns.get(key);
        if (known != null) {
            return known;
        }
        // The lock makes the check of the limit and the addition one step; look-ups and removals need no lock.
        synchronized (this) {
            known = patterns.get(key);
            if (known == null && patterns.size() < limits.patterns()) {
                known = new WatchedPattern<>(key.spelled, pattern, key.visible, names, messages, limits.matches());
                patterns.put(key, known);
            }
            return known;
        }
    }

    /** Whether {@link #watch} has to look through all names, which may take long where there are many. */
    public boolean mustSearch(String spelled, ReadScope visible) {
        WatchedPattern<K> known = patterns.get(new Key(spelled, visible));
        return known == null || !known.isLoaded();
    }

    /** Ends a connection's watch of a pattern; does nothing where there is none. */
    public void cancel(String spelled, ClientConnection connection) {
        for (Key key : patterns.keySet()) {
            if (key.spelled.equals(spelled)) {
                cancel(key, connection);
            }
        }
    }

    /** A connection whose read scope has changed keeps only the watch with the new scope. */
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

    /** Ends all watches of a connection that has closed. */
    public void closed(ClientConnection connection) {
        for (Key key : patterns.keySet()) {
            cancel(key, connection);
        }
    }

    /** Looks whether a name is present now that may not have been before, or the other way round. */
    public void changed(K name) {
        if (!patterns.isEmpty()) {
            patterns.values().forEach(pattern -> pattern.changed(name));
        }
    }

    /** The number of pairs of a watcher and a pattern. */
    public int pairs() {
        return patterns.values().stream().mapToInt(WatchedPattern::watchers).sum();
    }
}

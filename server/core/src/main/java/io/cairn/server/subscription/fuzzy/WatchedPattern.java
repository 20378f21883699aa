package io.cairn.server.subscription.fuzzy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.push.Push;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A pattern and read scope with matching names and watchers. Changes and comparisons are passed to the watchers' event loops with
 * the lock held, so in order.
 *
 * <p>Lock order: this lock precedes that of a service, whose presence is read with this lock held.
 */
final class WatchedPattern<K> {

    private final String spelled;
    private final FuzzyPattern pattern;
    private final FuzzyNames<K> names;
    private final FuzzyMessages messages;
    private final ReadScope visible;
    private final int maxMatches;

    @GuardedBy("this")
    private final Map<ClientConnection, FuzzyWatch> watches = new LinkedHashMap<>();

    /** The names sent to watchers. */
    @GuardedBy("this")
    private final Set<String> told = new LinkedHashSet<>();
    /** Matches beyond the limit, as many again, which replace removed ones. */
    @GuardedBy("this")
    private final Set<String> spare = new LinkedHashSet<>();
    /** Whether there may be even more matches. */
    @GuardedBy("this")
    private boolean more;

    /** Written with this lock held; {@link #isLoaded()} reads it without. */
    private volatile boolean loaded;

    @GuardedBy("this")
    private boolean retired;

    WatchedPattern(
            String spelled,
            FuzzyPattern pattern,
            ReadScope visible,
            FuzzyNames<K> names,
            FuzzyMessages messages,
            int maxMatches) {
        this.visible = visible;
        this.spelled = spelled;
        this.pattern = pattern;
        this.names = names;
        this.messages = messages;
        this.maxMatches = maxMatches;
    }

    /** Null when it was dropped meanwhile and another one must be made. */
    synchronized @Nullable FuzzyOutcome watch(ClientConnection connection, Iterable<String> received, boolean initial) {
        if (retired) {
            return null;
        }
        if (!loaded) {
            // No change is missed meanwhile, because each waits for this lock.
            search(this::take);
            loaded = true;
        }
        Set<String> surplus = new LinkedHashSet<>();
        Set<String> missing = new LinkedHashSet<>(told);
        for (String name : received) {
            if (!missing.remove(name) && !spare.contains(name)) {
                surplus.add(name);
            }
        }
        if (more && !surplus.isEmpty()) {
            forEachMatch(surplus::remove);
        }
        FuzzyWatch watch = watches.computeIfAbsent(
                connection, absent -> new FuzzyWatch(spelled, connection, this::isPresent, messages));
        watch.compare(surplus, missing, initial);
        return told.size() < maxMatches ? FuzzyOutcome.WATCHING : FuzzyOutcome.TOO_MANY_MATCHES;
    }

    @GuardedBy("this")
    private void search(Consumer<String> found) {
        more = false;
        forEachMatch(found);
    }

    private void forEachMatch(Consumer<String> found) {
        names.forEach(pattern.namespace(), name -> {
            if (isMatch(name) && names.isPresent(name)) {
                found.accept(names.spelled(name));
            }
        });
    }

    private boolean isMatch(K name) {
        return names.matches(pattern, name) && names.isVisible(visible, name);
    }

    private synchronized void take(String match) {
        if (told.size() < maxMatches) {
            told.add(match);
        } else {
            keep(match);
        }
    }

    private synchronized void keep(String match) {
        if (told.contains(match) || spare.contains(match)) {
            return;
        }
        if (spare.size() < maxMatches) {
            spare.add(match);
        } else {
            more = true;
        }
    }

    /** Whether its matches are known, so that a watch needs no search. */
    boolean isLoaded() {
        return loaded;
    }

    /** True if it was the last. */
    synchronized boolean unwatch(ClientConnection connection) {
        FuzzyWatch watch = watches.remove(connection);
        if (watch != null) {
            watch.end();
        }
        retired = watches.isEmpty();
        return retired;
    }

    void changed(K name) {
        if (!isMatch(name)) {
            return;
        }
        String match = names.spelled(name);
        synchronized (this) {
            if (!loaded) {
                return;
            }
            // Read under the lock: of two changes the later caller sees the later state.
            if (names.isPresent(name)) {
                appeared(match);
            } else {
                vanished(match);
            }
        }
    }

    @GuardedBy("this")
    private void appeared(String match) {
        if (told.contains(match)) {
            return;
        }
        if (told.size() < maxMatches) {
            told.add(match);
            notifyWatches(match, true);
        } else {
            keep(match);
        }
    }

    @GuardedBy("this")
    private void vanished(String match) {
        boolean wasTold = told.remove(match);
        boolean wasSpare = spare.remove(match);
        if (wasTold || wasSpare || more) {
            // Sent even if this server has not sent the name: another one may have.
            notifyWatches(match, false);
        }
        if (!wasTold) {
            return;
        }
        if (spare.isEmpty() && more) {
            search(this::keep);
        }
        Iterator<String> next = spare.iterator();
        if (next.hasNext()) {
            String moved = next.next();
            next.remove();
            told.add(moved);
            notifyWatches(moved, true);
        }
    }

    @GuardedBy("this")
    private void notifyWatches(String match, boolean present) {
        Push push = messages.changed(match, present);
        watches.values().forEach(watch -> watch.changed(match, push));
    }

    private synchronized boolean isPresent(String match) {
        return told.contains(match) || spare.contains(match);
    }

    synchronized int watchers() {
        return watches.size();
    }
}

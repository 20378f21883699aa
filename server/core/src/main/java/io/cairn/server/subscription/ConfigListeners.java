package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of configurations with their contents, over connections and parked polls. In memory, but lists may be very long, so
 * request them outside event loops.
 */
public final class ConfigListeners {

    private static final Comparator<ConfigListener> BY_CLIENT =
            Comparator.comparing(ConfigListener::clientIp).thenComparing(ConfigListener::connectionId);
    private static final Logger log = LoggerFactory.getLogger(ConfigListeners.class);

    /** By configuration, then by client. */
    public static final Comparator<ConfigListener> BY_KEY_AND_CLIENT =
            Comparator.comparing(ConfigListener::key, ConfigListeners::compare).thenComparing(BY_CLIENT);

    private final ConfigService configs;
    private final Subscriptions<ConfigKey> subscriptions;
    private final ConnectionRegistry connections;
    private final Set<ParkedPoll> polls = ConcurrentHashMap.newKeySet();
    private volatile boolean released;

    public ConfigListeners(
            ConfigService configs, Subscriptions<ConfigKey> subscriptions, ConnectionRegistry connections) {
        this.configs = configs;
        this.subscriptions = subscriptions;
        this.connections = connections;
    }

    /** Adds a parked poll, until it {@linkplain #answered is answered}. */
    public void parked(ParkedPoll poll) {
        polls.add(poll);
        if (released) {
            end(poll);
        }
    }

    /** Answers all parked polls, and later ones at once: the server stops. */
    public void release() {
        released = true;
        polls.forEach(ConfigListeners::end);
    }

    /** Answers the polls whose callers lost the right to a key; their next request is refused. */
    public void endUnless(BiPredicate<Principal, WatchedKey<?>> maySee) {
        for (ParkedPoll poll : polls) {
            Principal sender = poll.principal();
            if (!poll.watching().stream().allMatch(watched -> maySee.test(sender, watched))) {
                end(poll);
            }
        }
    }

    private static void end(ParkedPoll poll) {
        try {
            poll.loop().execute(poll::expire);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of a parked request has ended", e);
        }
    }

    public void answered(ParkedPoll poll) {
        polls.remove(poll);
    }

    /** The configurations of all parked polls. */
    public long parkedListens() {
        long sum = 0;
        for (ParkedPoll poll : polls) {
            sum += poll.listens();
        }
        return sum;
    }

    /** Pairs of a client and a configuration, over gRPC and long polls. */
    public long listens() {
        return subscriptions.pairs();
    }

    public int parkedPolls() {
        return polls.size();
    }

    /** By address. */
    public List<ConfigListener> of(ConfigKey key) {
        WatchedKey<ConfigKey> watched = subscriptions.find(key);
        List<ConfigListener> listeners = new ArrayList<>();
        if (watched != null) {
            for (Watcher watcher : watched.watching()) {
                add(key, watched, watcher, listeners);
            }
        }
        listeners.sort(BY_CLIENT);
        return listeners;
    }

    /** The listeners with what they have, in no order. */
    public List<Watcher.Holding> holdings(ConfigKey key) {
        WatchedKey<ConfigKey> watched = subscriptions.find(key);
        List<Watcher.Holding> all = new ArrayList<>();
        if (watched != null) {
            for (Watcher watcher : watched.watching()) {
                Watcher.Holding holding = watcher.isClosed() ? null : watcher.holding(watched);
                if (holding != null) {
                    all.add(holding);
                }
            }
        }
        return all;
    }

    /** The configurations of the address's clients, by key. */
    public List<ConfigListener> at(String clientIp) {
        List<ConfigListener> listeners = new ArrayList<>();
        connections.connections().stream()
                .filter(connection -> connection.identity().clientIp().equals(clientIp))
                .forEach(connection -> addAll(connection, listeners));
        for (ParkedPoll poll : polls) {
            List<ConfigListener> polled = new ArrayList<>();
            addAll(poll, polled);
            polled.removeIf(listener -> !listener.clientIp().equals(clientIp));
            listeners.addAll(polled);
        }
        listeners.sort(BY_KEY_AND_CLIENT);
        return listeners;
    }

    /** The configurations of a connection, in no order; empty for an unknown one. */
    public List<ConfigListener> over(String connectionId) {
        List<ConfigListener> listeners = new ArrayList<>();
        ClientConnection connection = connections.find(connectionId);
        if (connection != null) {
            addAll(connection, listeners);
        }
        return listeners;
    }

    private void addAll(Watcher watcher, List<ConfigListener> listeners) {
        for (WatchedKey<?> watched : watcher.watching()) {
            // Watches of other things, such as services, have keys of other types.
            if (watched.key() instanceof ConfigKey key) {
                add(key, watched, watcher, listeners);
            }
        }
    }

    private void add(ConfigKey key, WatchedKey<?> watched, Watcher watcher, List<ConfigListener> listeners) {
        Watcher.Holding holding = watcher.isClosed() ? null : watcher.holding(watched);
        if (holding != null) {
            ConfigEntry entry = entry(key, holding);
            listeners.add(new ConfigListener(
                    key,
                    holding.reader(),
                    holding.connectionId(),
                    holding.client(),
                    Optional.ofNullable(holding.digest()),
                    entry == null || entry.gray() == null ? "" : entry.gray().name(),
                    isCurrent(entry, holding.digest())));
        }
    }

    /** Whether a connected client lacks the current version, by its reports or reads. */
    public boolean isBehind(WatchedKey<ConfigKey> watched, Watcher watcher) {
        Watcher.Holding holding = watcher.isClosed() ? null : watcher.holding(watched);
        return holding != null
                && !holding.connectionId().isEmpty()
                && !isCurrent(entry(watched.key(), holding), holding.digest());
    }

    private @Nullable ConfigEntry entry(ConfigKey key, Watcher.Holding holding) {
        return configs.find(key, holding.reader(), false);
    }

    private static int compare(ConfigKey one, ConfigKey other) {
        int order = one.namespace().id().compareTo(other.namespace().id());
        if (order == 0) {
            order = one.group().compareTo(other.group());
        }
        return order == 0 ? one.dataId().compareTo(other.dataId()) : order;
    }

    /**
     * Listeners of a namespace with an old version of configurations without a recent change. Checks at most that many, so only
     * some on a large server.
     */
    public List<Behind> behind(Namespace namespace, long changedBeforeMillis, int atMost) {
        List<Behind> behind = new ArrayList<>();
        int left = atMost;
        for (WatchedKey<ConfigKey> watched : subscriptions.all()) {
            ConfigKey key = watched.key();
            ConfigEntry entry = key.namespace().equals(namespace) ? configs.find(key) : null;
            if (entry == null || entry.lastModifiedMillis() > changedBeforeMillis) {
                continue;
            }
            List<ConfigListener> listeners = new ArrayList<>();
            watched.watching().forEach(watcher -> add(key, watched, watcher, listeners));
            long late =
                    listeners.stream().filter(listener -> !listener.isCurrent()).count();
            if (late > 0) {
                behind.add(new Behind(key, (int) late, listeners.size()));
            }
            left -= listeners.size();
            if (left <= 0) {
                break;
            }
        }
        behind.sort(Comparator.comparingInt(Behind::late).reversed());
        return behind;
    }

    /**
     * A configuration with outdated listeners.
     *
     * @param late their number
     */
    public record Behind(ConfigKey key, int late, int all) {}

    private static boolean isCurrent(@Nullable ConfigEntry entry, @Nullable ContentDigest digest) {
        return entry == null ? digest == null : entry.digest().equals(digest);
    }
}

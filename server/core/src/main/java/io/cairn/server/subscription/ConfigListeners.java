package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.GrayRule;
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
 * Who listens to which configuration and what he has of it, at this moment: over long connections and over polls that are
 * parked. In memory, so nothing blocks; but a configuration may have very many listeners, so ask for lists off the event
 * loops. Thread-safe.
 */
public final class ConfigListeners {

    private static final Comparator<ConfigListener> BY_CLIENT =
            Comparator.comparing(ConfigListener::clientIp).thenComparing(ConfigListener::connectionId);
    private static final Logger log = LoggerFactory.getLogger(ConfigListeners.class);

    /** The order of listeners: by configuration, then by client. */
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

    /** Notes a poll that is parked, until it {@linkplain #answered is answered}. */
    public void parked(ParkedPoll poll) {
        polls.add(poll);
        if (released) {
            end(poll);
        }
    }

    /** Has all polls that are parked, and those to come, answered at once: the server is about to stop. */
    public void release() {
        released = true;
        polls.forEach(ConfigListeners::end);
    }

    /** Has those polls answered at once whose senders may no longer see all that they wait for; asking anew, they are refused. */
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

    /** The number of polls that are parked at the moment. */
    public int parkedPolls() {
        return polls.size();
    }

    /** Who listens to that configuration, by address. */
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

    /** What the clients at that address listen to, by key. */
    public List<ConfigListener> at(String clientIp) {
        List<ConfigListener> listeners = new ArrayList<>();
        connections.connections().stream()
                .filter(connection -> connection.identity().clientIp().equals(clientIp))
                .forEach(connection -> addAll(connection, clientIp, listeners));
        polls.forEach(poll -> addAll(poll, clientIp, listeners));
        listeners.sort(BY_KEY_AND_CLIENT);
        return listeners;
    }

    private void addAll(Watcher watcher, String clientIp, List<ConfigListener> listeners) {
        for (WatchedKey<?> watched : watcher.watching()) {
            // What else is watched, such as services, has keys of other kinds.
            if (watched.key() instanceof ConfigKey key) {
                List<ConfigListener> one = new ArrayList<>(1);
                add(key, watched, watcher, one);
                one.stream()
                        .filter(listener -> listener.clientIp().equals(clientIp))
                        .forEach(listeners::add);
            }
        }
    }

    private void add(ConfigKey key, WatchedKey<?> watched, Watcher watcher, List<ConfigListener> listeners) {
        Watcher.Holding holding = watcher.isClosed() ? null : watcher.holding(watched);
        if (holding != null) {
            ConfigEntry entry = entry(key, holding);
            listeners.add(new ConfigListener(
                    key,
                    holding.clientIp(),
                    holding.connectionId(),
                    holding.client(),
                    Optional.ofNullable(holding.digest()),
                    isCurrent(entry, holding.digest())));
        }
    }

    /** Whether a client on a long connection has another version than it should have, as far as it has said or asked. */
    public boolean isBehind(WatchedKey<ConfigKey> watched, Watcher watcher) {
        Watcher.Holding holding = watcher.isClosed() ? null : watcher.holding(watched);
        return holding != null
                && !holding.connectionId().isEmpty()
                && !isCurrent(entry(watched.key(), holding), holding.digest());
    }

    private @Nullable ConfigEntry entry(ConfigKey key, Watcher.Holding holding) {
        return configs.find(key, new GrayRule.Client(holding.clientIp(), holding.tag()), false);
    }

    private static int compare(ConfigKey one, ConfigKey other) {
        int order = one.namespace().id().compareTo(other.namespace().id());
        if (order == 0) {
            order = one.group().compareTo(other.group());
        }
        return order == 0 ? one.dataId().compareTo(other.dataId()) : order;
    }

    /**
     * The listeners of a namespace that do not have what they should have, of configurations that were not changed within
     * the last moments. Looks at no more than that many listeners, so on a large server at some only.
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
     * A configuration of which some have another version than they should have.
     *
     * @param late how many of all have another version
     */
    public record Behind(ConfigKey key, int late, int all) {}

    private static boolean isCurrent(@Nullable ConfigEntry entry, @Nullable ContentDigest digest) {
        return entry == null ? digest == null : entry.digest().equals(digest);
    }
}

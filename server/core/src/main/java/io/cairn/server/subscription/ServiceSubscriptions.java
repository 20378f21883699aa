package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.limit.Limit;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions to services. Most clients subscribe to all clusters of a service. Other selections are indexed by
 * service, because a change of the service concerns them too. Thread-safe.
 */
public final class ServiceSubscriptions {

    private final Subscriptions<Selection> subscriptions;
    private final ConcurrentHashMap<ServiceKey, Set<String>> narrowed = new ConcurrentHashMap<>();
    private volatile @Nullable Limit limit;

    /** @param ordinals see {@link Subscriptions#Subscriptions(AtomicLong)} */
    public ServiceSubscriptions(AtomicLong ordinals) {
        this.subscriptions = new Subscriptions<>(ordinals, this::forget);
    }

    Subscriptions<Selection> bySelection() {
        return subscriptions;
    }

    /**
     * Subscribes a connection, or takes note of another form if it is subscribed already.
     *
     * @param takesDeltas whether it is pushed what has changed, instead of whole lists
     * @throws io.cairn.api.error.CairnException {@code LIMIT_EXCEEDED} if the connection has the maximum number of
     *     watches
     */
    public WatchedKey<Selection> subscribe(Selection selection, ClientConnection connection, boolean takesDeltas) {
        int form = takesDeltas ? ServicePush.DELTAS : ServicePush.WHOLE_LISTS;
        synchronized (connection.watches()) {
            WatchedKey<Selection> known = subscriptions.find(selection);
            if (known != null && connection.watches().respell(known, form)) {
                return known;
            }
            checkWatches(connection);
            WatchedKey<Selection> watched = watch(selection, connection);
            connection.watches().add(watched, form);
            return watched;
        }
    }

    /** Sets the limit on the watches of one connection. */
    public void limitedBy(Limit watches) {
        limit = watches;
    }

    private void checkWatches(ClientConnection connection) {
        Limit watches = limit;
        if (watches != null) {
            watches.check(connection.watches().size() + 1L);
        }
    }

    /** Whether the connection is open and still subscribed. */
    boolean isSubscribed(WatchedKey<Selection> watched, ClientConnection connection) {
        synchronized (connection.watches()) {
            return !connection.isClosed() && connection.watches().spelling(watched) >= 0;
        }
    }

    /** Ends a subscription of a connection; does nothing if there is none. */
    public void unsubscribe(Selection selection, ClientConnection connection) {
        synchronized (connection.watches()) {
            WatchedKey<Selection> known = subscriptions.find(selection);
            if (known != null && connection.watches().remove(known)) {
                unwatch(known, connection);
            }
        }
    }

    /** Adds a watcher, which must not be registered for the selection already. */
    public WatchedKey<Selection> watch(Selection selection, Watcher watcher) {
        WatchedKey<Selection> watched = subscriptions.watch(selection, watcher);
        if (!selection.clusters().isEmpty()) {
            // This comes after the registration: an entry without a watcher could be removed by another thread.
            narrowed.compute(selection.service(), (service, before) -> {
                if (before != null && before.contains(selection.clusters())) {
                    return before;
                }
                Set<String> more = before == null ? new TreeSet<>() : new TreeSet<>(before);
                more.add(selection.clusters());
                return more;
            });
        }
        return watched;
    }

    /** Removes the watcher, which must be registered and is not closed. */
    public void unwatch(WatchedKey<Selection> watched, Watcher watcher) {
        subscriptions.unwatch(watched, watcher);
    }

    /** Passes the selection of all clusters and each other selection of the service that has subscribers. */
    void forEachSelection(ServiceKey service, Consumer<Selection> consumer) {
        consumer.accept(new Selection(service, ""));
        Set<String> others = narrowed.get(service);
        if (others == null) {
            return;
        }
        for (String clusters : others) {
            consumer.accept(new Selection(service, clusters));
        }
    }

    /** Removes the selection from the index, unless it has a new subscriber. */
    private void forget(Selection selection) {
        narrowed.computeIfPresent(selection.service(), (service, before) -> {
            if (subscriptions.find(selection) != null) {
                return before;
            }
            Set<String> left = new TreeSet<>(before);
            left.remove(selection.clusters());
            return left.isEmpty() ? null : left;
        });
    }

    /** The subscribers of the service, with any selection. */
    public List<Subscriber> of(ServiceKey service) {
        List<Subscriber> all = new ArrayList<>();
        forEachSelection(service, selection -> {
            WatchedKey<Selection> watched = subscriptions.find(selection);
            if (watched != null) {
                for (Watcher watcher : watched.watching()) {
                    if (watcher instanceof Subscriber.Described described) {
                        all.add(described.describe(selection.clusters()));
                    } else if (watcher instanceof ClientConnection connection) {
                        all.add(describe(connection, selection.clusters()));
                    }
                }
            }
        });
        return all;
    }

    /** The selections to which a connection subscribes. */
    public List<Selection> of(ClientConnection connection) {
        List<Selection> all = new ArrayList<>();
        for (WatchedKey<?> watched : connection.watches().all()) {
            if (watched.key() instanceof Selection selection) {
                all.add(selection);
            }
        }
        return all;
    }

    private static Subscriber describe(ClientConnection connection, String clusters) {
        return new Subscriber(
                connection.id(),
                connection.identity().clientIp(),
                0,
                connection.identity().version(),
                connection.app(),
                clusters);
    }

    /** All selections that have subscribers. */
    List<Selection> all() {
        List<Selection> all = new ArrayList<>();
        subscriptions.all().forEach(watched -> all.add(watched.key()));
        return all;
    }

    /** The services that have subscribers; for lists. */
    public Set<ServiceKey> services() {
        Set<ServiceKey> services = ConcurrentHashMap.newKeySet();
        subscriptions.all().forEach(watched -> services.add(watched.key().service()));
        return services;
    }

    /** The number of pairs of a subscriber and a selection. */
    public long pairs() {
        return subscriptions.pairs();
    }
}

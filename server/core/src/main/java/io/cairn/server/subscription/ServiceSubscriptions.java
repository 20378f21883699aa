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
 * The subscriptions to services. Most clients subscribe to all clusters. Other selections are indexed by service, because a change
 * of the service concerns them, too.
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
     * Subscribes a connection, or notes another form.
     *
     * @param takesDeltas whether changes are pushed instead of whole lists
     * @throws io.cairn.api.error.CairnException {@code LIMIT_EXCEEDED} at the connection's limit of watches
     */
    public WatchedKey<Selection> subscribe(Selection selection, ClientConnection connection, boolean takesDeltas) {
        int form = takesDeltas ? ServicePush.DELTAS : ServicePush.WHOLE_LISTS;
        synchronized (connection.watches()) {
            WatchedKey<Selection> known = subscriptions.find(selection);
            if (known != null && connection.watches().changeVariant(known, form)) {
                return known;
            }
            checkWatches(connection);
            WatchedKey<Selection> watched = watch(selection, connection);
            connection.watches().add(watched, form);
            return watched;
        }
    }

    /** Limits the watches of one connection. */
    public void limitedBy(Limit watches) {
        limit = watches;
    }

    private void checkWatches(ClientConnection connection) {
        Limit watches = limit;
        if (watches != null) {
            watches.check(connection.watches().size() + 1L);
        }
    }

    /** Whether the connection is open and subscribed. */
    boolean isSubscribed(WatchedKey<Selection> watched, ClientConnection connection) {
        synchronized (connection.watches()) {
            return !connection.isClosed() && connection.watches().variant(watched) >= 0;
        }
    }

    /** No effect without a subscription. */
    public void unsubscribe(Selection selection, ClientConnection connection) {
        synchronized (connection.watches()) {
            WatchedKey<Selection> known = subscriptions.find(selection);
            if (known != null && connection.watches().remove(known)) {
                unwatch(known, connection);
            }
        }
    }

    /** Adds a watcher that is not registered for the selection. */
    public WatchedKey<Selection> watch(Selection selection, Watcher watcher) {
        WatchedKey<Selection> watched = subscriptions.watch(selection, watcher);
        if (!selection.clusters().isEmpty()) {
            // After the registration: another thread could remove an entry without a watcher.
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

    /** Removes a registered, open watcher. */
    public void unwatch(WatchedKey<Selection> watched, Watcher watcher) {
        subscriptions.unwatch(watched, watcher);
    }

    /** The selection of all clusters, and each other selection with subscribers. */
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

    /** A watcher of a selection, with its description. */
    record Subscribed(WatchedKey<Selection> watched, Watcher watcher, Subscriber subscriber) {

        /** As in {@link LateSubscriber}. */
        String kind() {
            return watcher instanceof ClientConnection ? LateSubscriber.GRPC : LateSubscriber.UDP;
        }
    }

    /** With any selection. */
    public List<Subscriber> of(ServiceKey service) {
        return subscribed(service).stream().map(Subscribed::subscriber).toList();
    }

    /** As {@link #of(ServiceKey)}. */
    List<Subscribed> subscribed(ServiceKey service) {
        List<Subscribed> all = new ArrayList<>();
        forEachSelection(service, selection -> {
            WatchedKey<Selection> watched = subscriptions.find(selection);
            if (watched != null) {
                for (Watcher watcher : watched.watching()) {
                    if (watcher instanceof Subscriber.Described described) {
                        all.add(new Subscribed(watched, watcher, described.describe(selection.clusters())));
                    } else if (watcher instanceof ClientConnection connection) {
                        all.add(new Subscribed(watched, watcher, describe(connection, selection.clusters())));
                    }
                }
            }
        });
        return all;
    }

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

    List<Selection> all() {
        List<Selection> all = new ArrayList<>();
        subscriptions.all().forEach(watched -> all.add(watched.key()));
        return all;
    }

    public Set<ServiceKey> services() {
        Set<ServiceKey> services = ConcurrentHashMap.newKeySet();
        subscriptions.all().forEach(watched -> services.add(watched.key().service()));
        return services;
    }

    public long pairs() {
        return subscriptions.pairs();
    }
}

package io.cairn.server.naming.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.view.RegisteredInstance;
import io.cairn.server.node.NodeId;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry's state in memory: services, this node's publishers, and the group. After each change it records it for other nodes,
 * calls the listeners, and removes an unused service.
 *
 * <p>Lock order: {@link Publisher}, then {@link ServiceEntry} or {@link Lease}. Both are held where the publisher's state decides
 * what the service shows: in a registration, and when heartbeats change the health. Listeners run after both are released.
 */
public final class Registry {

    private final ServiceIndex services;
    private final ReturningClients returning;
    private final ConcurrentHashMap<String, Publisher> publishers = new ConcurrentHashMap<>();
    private final List<ServiceListener> listeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> relabelled = new CopyOnWriteArrayList<>();
    private final CurrentLabels labels = new CurrentLabels();
    private final NamingSettings settings;
    private final Timer timer;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final InstanceLosses losses;
    private final OverrideExpiry overrideExpiry;
    private volatile Group group = Group.alone(new AtomicLong()::incrementAndGet);
    private volatile OverrideExpiry.@Nullable Listener onExpiredOverrides;
    private volatile @Nullable BiConsumer<ServiceKey, InstanceKey> onDrainedDeregistered;
    private volatile boolean keepsOnDisconnect;
    private volatile boolean frozen;

    public Registry(NamingSettings settings, Timer timer, Clock clock, LongSupplier nanoTime, InstanceLosses losses) {
        this.settings = settings;
        this.timer = timer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.losses = losses;
        this.returning = new ReturningClients(nanoTime);
        this.services = new ServiceIndex(returning);
        this.overrideExpiry =
                new OverrideExpiry(settings.overrideExpiry().toNanos(), timer, nanoTime, (service, overrides, of) -> {
                    OverrideExpiry.Listener listener = onExpiredOverrides;
                    if (listener != null) {
                        listener.expired(service, overrides, of);
                    }
                });
    }

    /**
     * @param self address of this node
     * @param stamps times of registrations
     * @param isShared whether there can be other members
     */
    public record Group(String self, OwnChanges changes, LongSupplier stamps, boolean isShared) {

        static Group alone(LongSupplier stamps) {
            return new Group("", OwnChanges.NONE, stamps, false);
        }
    }

    public ServiceIndex services() {
        return services;
    }

    public @Nullable ServiceEntry find(ServiceKey service) {
        return services.find(service);
    }

    public ServiceEntry findOrAdd(ServiceKey service, boolean ephemeral) {
        return services.findOrAdd(service, ephemeral);
    }

    public NamingSettings settings() {
        return settings;
    }

    public Timer timer() {
        return timer;
    }

    public long nowMillis() {
        return clock.millis();
    }

    public long nanoTime() {
        return nanoTime.getAsLong();
    }

    public ReturningClients returning() {
        return returning;
    }

    public CurrentLabels labels() {
        return labels;
    }

    public InstanceLosses losses() {
        return losses;
    }

    public Group group() {
        return group;
    }

    /**
     * Joins a group, before the first instance. The registry's clock must be the group's, so that a moving client gets no older
     * list.
     *
     * @param self this node's address for others
     * @param stamps unique, rising times of the group's clock
     * @param changes receives this registry's changes
     */
    public void joinGroup(String self, LongSupplier stamps, OwnChanges changes) {
        group = new Group(self, changes, stamps, true);
    }

    public void follow(ServiceListener listener) {
        listeners.add(listener);
    }

    public void onExpiredOverrides(OverrideExpiry.Listener listener) {
        onExpiredOverrides = listener;
    }

    /** Calls back when the last publisher of a drained instance has deregistered it. */
    public void onDrainedDeregistered(BiConsumer<ServiceKey, InstanceKey> listener) {
        onDrainedDeregistered = listener;
    }

    /** @param before the instances of a publisher, some of which it has deregistered */
    void deregistered(ServiceEntry entry, RegisteredInstance[] before) {
        BiConsumer<ServiceKey, InstanceKey> listener = onDrainedDeregistered;
        if (listener == null) {
            return;
        }
        for (RegisteredInstance each : before) {
            if (each.isDraining() && !entry.lists(each.published().key())) {
                listener.accept(entry.key(), each.published().key());
            }
        }
    }

    public @Nullable Publisher publisher(String id) {
        return publishers.get(id);
    }

    public Publisher publisher(String id, Publisher.Kind kind, Publisher.Client client) {
        Publisher known = publishers.get(id);
        return known != null
                ? known
                : publishers.computeIfAbsent(id, absent -> new Publisher(absent, kind, client, clock.millis()));
    }

    /** The publisher of a long connection; created on the first call, removed after the connection has ended. */
    public Publisher connection(String connectionId, Publisher.Client client) {
        return publisher(connectionId, Publisher.Kind.CONNECTION, client);
    }

    public Collection<Publisher> publishers() {
        return publishers.values();
    }

    public void remove(Publisher publisher) {
        publishers.remove(publisher.id(), publisher);
    }

    /** Removes an ended connection's publisher without kept instances. */
    @GuardedBy("publisher")
    public void removeIfLeft(Publisher publisher) {
        if (publisher.isClosed() && publisher.isEmpty()) {
            publishers.remove(publisher.id(), publisher);
        }
    }

    /** Removes an idle client without a connection. */
    @GuardedBy("publisher")
    public void forgetIfIdle(Publisher publisher) {
        if (publisher.kind() != Publisher.Kind.CONNECTION && publisher.isEmpty()) {
            publisher.close();
            publishers.remove(publisher.id(), publisher);
        }
    }

    /** The client of an instance registered without a connection. */
    public static String httpId(InstanceKey instance) {
        return ClientOwnership.clientId(instance);
    }

    public static String persistentId(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#false";
    }

    /**
     * From now on a closed connection's instances stay, because the server stops and its clients move. Windows and leases do not
     * end either: an unreachable server gets no heartbeats.
     */
    public void keepOnDisconnect() {
        keepsOnDisconnect = true;
    }

    /** Keeps the present state and refuses registrations: a stop closes connections, whose instances must stay. */
    public void freeze() {
        keepsOnDisconnect = true;
        frozen = true;
    }

    public boolean keepsOnDisconnect() {
        return keepsOnDisconnect;
    }

    public boolean isFrozen() {
        return frozen;
    }

    void refuseWhenFrozen(Publisher publisher) {
        // Persistent instances are shown until the server has stopped.
        if (frozen && publisher.isEphemeral()) {
            throw stopping();
        }
    }

    public static CairnException stopping() {
        return new CairnException(ErrorCode.UNAVAILABLE, "The server is stopping; try another one");
    }

    @GuardedBy("publisher")
    public void withdrawn(Publisher publisher, ServiceKey service) {
        if (publisher.isEphemeral()) {
            group.changes().withdrawn(publisher.id(), service);
        }
    }

    /** Takes the lock of the publisher, which the caller holds already. */
    @SuppressWarnings("ReferenceEquality") // this publication, not one like it
    public void recordIfChanged(Publication publication, ServiceKey service, ServiceEntry.Outcome outcome) {
        Publisher publisher = publication.publisher();
        if (outcome == ServiceEntry.Outcome.NONE || !publisher.isEphemeral()) {
            return;
        }
        synchronized (publisher) {
            // A withdrawn one may still be listed for a moment.
            if (publisher.publication(service) == publication) {
                group.changes().published(publisher.id(), service);
            }
        }
    }

    /** Records instances that a client no longer registers; the cluster plays no part. */
    public void forgotten(ServiceKey service, RegisteredInstance[] before, List<Instance> now) {
        if (!group.isShared() || before.length == 0) {
            return;
        }
        Set<InstanceAddress> present = new HashSet<>();
        now.forEach(instance -> present.add(InstanceAddress.of(instance.key())));
        for (RegisteredInstance each : before) {
            InstanceKey key = each.published().key();
            if (!present.contains(InstanceAddress.of(key))) {
                group.changes().forgotten(service, key);
            }
        }
    }

    /** Records publications ended by a change, calls the listeners, and schedules the removal of an unused service. */
    public void changed(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        changed(entry, outcome, true);
    }

    /** As {@link #changed(ServiceEntry, ServiceEntry.Outcome)}, for the owner's change. */
    public void changedElsewhere(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        changed(entry, outcome, false);
    }

    public void changed(ServiceEntry entry, ServiceEntry.Outcome outcome, boolean isOwn) {
        List<ServiceEntry.Ended> all = entry.takeEnded();
        for (ServiceEntry.Ended each : all) {
            ended(entry.key(), each);
        }
        if (outcome != ServiceEntry.Outcome.NONE) {
            notifyListeners(entry, outcome, isOwn || !all.isEmpty());
            if (!entry.hasPublishers()) {
                cleanLater(entry);
            }
        }
    }

    private void ended(ServiceKey service, ServiceEntry.Ended ended) {
        Publisher publisher = ended.publication().publisher();
        synchronized (publisher) {
            if (publisher.publication(service) != ended.publication()) {
                return;
            }
            publisher.remove(service);
            Publisher by = ended.by();
            if (by == null) {
                withdrawn(publisher, service);
            } else {
                NodeId owner = by.origin();
                group.changes().moved(publisher.id(), service, owner == null ? group.self() : owner.address());
            }
            removeIfLeft(publisher);
        }
    }

    public void notifyListeners(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        notifyListeners(entry, outcome, true);
    }

    /**
     * Calls listeners, which take locks, without the service's lock.
     *
     * @param isOwn whether own publications have changed
     */
    private void notifyListeners(ServiceEntry entry, ServiceEntry.Outcome outcome, boolean isOwn) {
        assert !Thread.holdsLock(entry) : "listeners of " + entry.key() + " are called with its lock held";
        ServiceListener.Presence presence =
                switch (outcome) {
                    case NONE, RETIRED -> null;
                    case CHANGED -> ServiceListener.Presence.SAME;
                    case APPEARED -> ServiceListener.Presence.APPEARED;
                    case EMPTIED -> ServiceListener.Presence.EMPTIED;
                };
        if (presence == null) {
            return;
        }
        overrideExpiry.changed(entry);
        for (ServiceListener listener : listeners) {
            if (isOwn || !listener.followsOwnOnly()) {
                listener.changed(entry.key(), presence);
            }
        }
    }

    public void cleanLater(ServiceEntry entry) {
        entry.cleanedBy(timer.newTimeout(
                fired -> clean(entry), settings.emptyServiceExpiry().toNanos(), TimeUnit.NANOSECONDS));
    }

    /** Created persistent services stay; others are removed with settings and overrides. */
    private void clean(ServiceEntry entry) {
        OverrideExpiry.Listener listener = onExpiredOverrides;
        if (!frozen && listener != null && !listener.isMine() && entry.hasStored() && !entry.hasPublishers()) {
            cleanLater(entry);
            return;
        }
        if (!frozen && entry.retireIfExpired()) {
            remove(entry);
            listeners.forEach(each -> each.removed(entry.key()));
            if (listener != null && entry.hasStored()) {
                listener.expired(entry.key(), entry.overrides(), entry.storedSettings());
            }
        }
    }

    private void remove(ServiceEntry entry) {
        overrideExpiry.forget(entry);
        services.remove(entry);
    }

    public void removed(ServiceEntry entry) {
        remove(entry);
        for (ServiceListener listener : listeners) {
            listener.changed(entry.key(), ServiceListener.Presence.SAME);
            listener.removed(entry.key());
        }
    }

    /** Replaces the labels of addresses, and notifies subscribers of services with selectors. */
    public void relabel(AddressLabels now) {
        if (!now.equals(labels.get())) {
            labels.set(now);
            for (ServiceEntry entry : services.all()) {
                notifyListeners(entry, entry.relabelled());
            }
        }
        relabelled.forEach(Runnable::run);
    }

    public void onRelabel(Runnable listener) {
        relabelled.add(listener);
    }
}

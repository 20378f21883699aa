package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.label.AddressLabels;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of the registry, which is all in memory: the services, the publishers of this node, and the group of nodes.
 * After each change of a service it records the change for the other nodes, calls the listeners, and removes a service
 * that is not used any more. Thread-safe.
 *
 * <p>Lock order: {@link Publisher}, then {@link ServiceEntry} or {@link Lease}. Both are held together if the state of
 * the publisher decides what the service shows: in a registration, and when a heartbeat or its absence changes the
 * health. Listeners are called after both locks were released.
 */
final class Registry {

    private final ServiceIndex services = new ServiceIndex();
    private final ConcurrentHashMap<String, Publisher> publishers = new ConcurrentHashMap<>();
    private final List<ServiceListener> listeners = new CopyOnWriteArrayList<>();
    private final CurrentLabels labels = new CurrentLabels();
    private final NamingSettings settings;
    private final Timer timer;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final InstanceLosses losses;
    private final OverrideExpiry overrideExpiry;
    private volatile Group group = Group.alone(new AtomicLong()::incrementAndGet);
    private volatile OverrideExpiry.@Nullable Listener onExpiredOverrides;
    private volatile boolean keepsGone;
    private volatile boolean frozen;

    Registry(NamingSettings settings, Timer timer, Clock clock, LongSupplier nanoTime, InstanceLosses losses) {
        this.settings = settings;
        this.timer = timer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.losses = losses;
        this.overrideExpiry =
                new OverrideExpiry(settings.overrideExpiry().toNanos(), timer, nanoTime, (service, overrides, of) -> {
                    OverrideExpiry.Listener listener = onExpiredOverrides;
                    if (listener != null) {
                        listener.expired(service, overrides, of);
                    }
                });
    }

    /**
     * The group that this node is a member of.
     *
     * @param self address of this node
     * @param stamps gives the times of registrations
     * @param isShared whether there can be other members
     */
    record Group(String self, OwnChanges changes, LongSupplier stamps, boolean isShared) {

        static Group alone(LongSupplier stamps) {
            return new Group("", OwnChanges.NONE, stamps, false);
        }
    }

    ServiceIndex services() {
        return services;
    }

    @Nullable
    ServiceEntry find(ServiceKey service) {
        return services.find(service);
    }

    ServiceEntry findOrAdd(ServiceKey service, boolean ephemeral) {
        return services.findOrAdd(service, ephemeral);
    }

    NamingSettings settings() {
        return settings;
    }

    Timer timer() {
        return timer;
    }

    long nowMillis() {
        return clock.millis();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    CurrentLabels labels() {
        return labels;
    }

    InstanceLosses losses() {
        return losses;
    }

    Group group() {
        return group;
    }

    /**
     * Makes the registry part of a group of nodes. Call it before the first instance is added. The clock of the
     * registry must be that of the group, so that a client that moves to another node gets no list with an older time.
     *
     * @param self address of this node, by which others know it
     * @param stamps a unique time of the clock of the group on each call, each later than the ones before
     * @param changes receives the changes of this registry
     */
    void joinGroup(String self, LongSupplier stamps, OwnChanges changes) {
        group = new Group(self, changes, stamps, true);
    }

    /** Calls the listener for every later change of a service. */
    void follow(ServiceListener listener) {
        listeners.add(listener);
    }

    void onExpiredOverrides(OverrideExpiry.Listener listener) {
        onExpiredOverrides = listener;
    }

    @Nullable
    Publisher publisher(String id) {
        return publishers.get(id);
    }

    Publisher publisher(String id, Publisher.Kind kind, Publisher.Client client) {
        Publisher known = publishers.get(id);
        return known != null
                ? known
                : publishers.computeIfAbsent(id, absent -> new Publisher(absent, kind, client, clock.millis()));
    }

    /** All publishers of this node. */
    Collection<Publisher> publishers() {
        return publishers.values();
    }

    void remove(Publisher publisher) {
        publishers.remove(publisher.id(), publisher);
    }

    /** Removes the publisher of a connection that has ended, if nothing is kept of it any more. */
    @GuardedBy("publisher")
    void removeIfLeft(Publisher publisher) {
        if (publisher.isClosed() && publisher.isEmpty()) {
            publishers.remove(publisher.id(), publisher);
        }
    }

    /** Removes a client without a connection that publishes nothing more. */
    @GuardedBy("publisher")
    void forgetIfIdle(Publisher publisher) {
        if (publisher.kind() != Publisher.Kind.CONNECTION && publisher.isEmpty()) {
            publisher.close();
            publishers.remove(publisher.id(), publisher);
        }
    }

    /** The id of the client of an instance that was registered without a connection. */
    static String httpId(InstanceKey instance) {
        return ClientOwnership.clientId(instance);
    }

    /** The id of the publisher of a persistent instance. */
    static String persistentId(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#false";
    }

    /**
     * From now on, the instances of a connection stay when it closes, because the server stops and its clients move.
     */
    void keepInstancesOfTheGone() {
        keepsGone = true;
    }

    /**
     * Keeps the present state from now on and refuses registrations: a server that stops closes its connections, and
     * must not take their instances away for that.
     */
    void freeze() {
        keepsGone = true;
        frozen = true;
    }

    boolean keepsGone() {
        return keepsGone;
    }

    boolean isFrozen() {
        return frozen;
    }

    void refuseWhenFrozen(Publisher publisher) {
        // Persistent instances are shown until the server has stopped.
        if (frozen && publisher.isEphemeral()) {
            throw stopping();
        }
    }

    static CairnException stopping() {
        return new CairnException(ErrorCode.UNAVAILABLE, "The server is stopping; try another one");
    }

    @GuardedBy("publisher")
    void withdrawn(Publisher publisher, ServiceKey service) {
        if (publisher.isEphemeral()) {
            group.changes().withdrawn(publisher.id(), service);
        }
    }

    /** Takes the lock of the publisher, which the caller holds already. */
    @SuppressWarnings("ReferenceEquality") // this publication, not one like it
    void recordIfChanged(Publication publication, ServiceKey service, ServiceEntry.Outcome outcome) {
        Publisher publisher = publication.publisher();
        if (outcome == ServiceEntry.Outcome.NONE || !publisher.isEphemeral()) {
            return;
        }
        synchronized (publisher) {
            // One that was recorded as withdrawn may still be listed for a moment.
            if (publisher.publication(service) == publication) {
                group.changes().published(publisher.id(), service);
            }
        }
    }

    /** Records the instances that a client does not register any more; the cluster of an instance plays no part. */
    void forgotten(ServiceKey service, RegisteredInstance[] before, List<Instance> now) {
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

    /**
     * Handles a change of a service: records the publications that have ended with it, calls the listeners, and
     * schedules the removal of an unused service.
     */
    void changed(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        changed(entry, outcome, true);
    }

    /** As {@link #changed(ServiceEntry, ServiceEntry.Outcome)}, for a change by the node that owns the publication. */
    void changedElsewhere(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        changed(entry, outcome, false);
    }

    void changed(ServiceEntry entry, ServiceEntry.Outcome outcome, boolean isOwn) {
        List<ServiceEntry.Ended> all = entry.takeEnded();
        for (ServiceEntry.Ended each : all) {
            ended(entry.key(), each);
        }
        if (outcome != ServiceEntry.Outcome.NONE) {
            tell(entry, outcome, isOwn || !all.isEmpty());
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

    void tell(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        tell(entry, outcome, true);
    }

    /**
     * Calls the listeners, which take locks of their own: without the lock of the service.
     *
     * @param isOwn whether publications of this node have changed
     */
    private void tell(ServiceEntry entry, ServiceEntry.Outcome outcome, boolean isOwn) {
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

    void cleanLater(ServiceEntry entry) {
        entry.cleanedBy(timer.newTimeout(
                fired -> clean(entry), settings.emptyServiceExpiry().toNanos(), TimeUnit.NANOSECONDS));
    }

    /** Created persistent services stay; other services are removed with their settings and overrides. */
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

    /** Takes a retired entry out. */
    private void remove(ServiceEntry entry) {
        overrideExpiry.forget(entry);
        services.remove(entry);
    }

    /** A retired entry was removed by an operator. */
    void removed(ServiceEntry entry) {
        remove(entry);
        for (ServiceListener listener : listeners) {
            listener.changed(entry.key(), ServiceListener.Presence.SAME);
            listener.removed(entry.key());
        }
    }

    /** Replaces the labels of addresses; subscribers of services that select by labels are notified. */
    void relabel(AddressLabels now) {
        if (now.equals(labels.get())) {
            return;
        }
        labels.set(now);
        for (ServiceEntry entry : services.all()) {
            tell(entry, entry.relabelled());
        }
    }
}

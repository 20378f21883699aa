package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.limit.Limit;
import io.cairn.server.naming.label.AddressLabels;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry: which instances each service has. Everything here is in memory and nothing blocks; each change takes the
 * lock of its publisher and of its service for a moment, and none is taken for all. Thread-safe.
 *
 * <p>Lock order: {@link Publisher}, then {@link ServiceEntry} or {@link Lease}. Both are held together where the state of the
 * publisher decides what the service shows: in a registration, and where a heartbeat or its absence changes the health.
 * Listeners are called after both locks were released.
 *
 * <p>What is persistent comes in through {@link StoredNaming}, after it was stored.
 */
public final class NamingService {

    private final ServiceIndex services = new ServiceIndex();
    private final ConcurrentHashMap<String, Publisher> publishers = new ConcurrentHashMap<>();
    private final List<ServiceListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong sequence = new AtomicLong();
    private final LongAdder beats = new LongAdder();
    private final NamingSettings settings;
    private final Switches switches;
    private final Timer timer;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final OverrideExpiry overrideExpiry;
    private final CurrentLabels labels = new CurrentLabels();
    private final InstanceLosses losses;
    private final Map<UnhealthyCause, LongAdder> unhealthy = new EnumMap<>(UnhealthyCause.class);
    private volatile @Nullable ExpiredOverrides onExpiredOverrides;
    private volatile @Nullable Limit instanceLimit;
    private volatile boolean keepsGone;
    private volatile boolean frozen;

    /** Is told of what operators have set for instances that are long gone. */
    @FunctionalInterface
    interface ExpiredOverrides {
        void expired(ServiceKey service, Collection<InstanceKey> instances);

        /** Whether this node removes them for all nodes; otherwise it keeps them until another one has. */
        default boolean isMine() {
            return true;
        }
    }

    public NamingService(NamingSettings settings, Switches switches, Timer timer, Clock clock) {
        this(settings, switches, timer, clock, System::nanoTime);
    }

    /** @param nanoTime what {@link System#nanoTime} tells */
    NamingService(NamingSettings settings, Switches switches, Timer timer, Clock clock, LongSupplier nanoTime) {
        this(settings, switches, timer, clock, nanoTime, new InstanceLosses(timer, clock));
    }

    NamingService(
            NamingSettings settings,
            Switches switches,
            Timer timer,
            Clock clock,
            LongSupplier nanoTime,
            InstanceLosses losses) {
        this.settings = settings;
        this.switches = switches;
        this.timer = timer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.losses = losses;
        for (UnhealthyCause cause : UnhealthyCause.values()) {
            unhealthy.put(cause, new LongAdder());
        }
        this.overrideExpiry =
                new OverrideExpiry(settings.overrideExpiry().toNanos(), timer, nanoTime, (service, instances) -> {
                    ExpiredOverrides listener = onExpiredOverrides;
                    if (listener != null) {
                        listener.expired(service, instances);
                    }
                });
    }

    /** Limits the instances of one connection. */
    public void limitInstances(Limit perClient) {
        instanceLimit = perClient;
    }

    /** Instances of the connection that has registered most. */
    public long mostInstancesOfOneClient() {
        return publishers.values().stream()
                .filter(publisher -> publisher.kind() == Publisher.Kind.CONNECTION)
                .mapToInt(Publisher::instances)
                .max()
                .orElse(0);
    }

    /** Calls the listener for every later change of a service. */
    public void follow(ServiceListener listener) {
        listeners.add(listener);
    }

    public Switches switches() {
        return switches;
    }

    /** A persistent instance was removed and that was stored. A server that stops keeps no trace of it. */
    void lost(ServiceKey service, LossCause cause, InstanceKey instance) {
        if (!frozen) {
            losses.lost(service, cause, 1, instance);
        }
    }

    /** The losses of instances that are no longer registered. */
    public InstanceLosses losses() {
        return losses;
    }

    void onExpiredOverrides(ExpiredOverrides listener) {
        onExpiredOverrides = listener;
    }

    // --- publishers

    /** The publisher of a long connection; made when it is first asked for, gone after {@link #connectionClosed}. */
    public Publisher connection(String connectionId, Publisher.Client client) {
        return publisher(connectionId, Publisher.Kind.CONNECTION, client);
    }

    private Publisher publisher(String id, Publisher.Kind kind, Publisher.Client client) {
        Publisher known = publishers.get(id);
        return known != null
                ? known
                : publishers.computeIfAbsent(id, absent -> new Publisher(absent, kind, client, clock.millis()));
    }

    /** A connection has ended: all that it has published goes with it. */
    public void connectionClosed(String connectionId) {
        Publisher publisher = publishers.get(connectionId);
        if (publisher != null && !keepsGone) {
            end(publisher, LossCause.CONNECTION_CLOSED);
        }
    }

    private void end(Publisher publisher, LossCause cause) {
        Map<ServiceKey, Publication> all;
        synchronized (publisher) {
            publisher.close();
            all = publisher.takeAll();
        }
        publishers.remove(publisher.id(), publisher);
        all.forEach((service, publication) -> withdraw(service, publication, cause));
    }

    /** From now on what a connection has published stays when it ends, for its client goes because the server does. */
    public void keepInstancesOfTheGone() {
        keepsGone = true;
    }

    /**
     * Keeps the present state from now on and refuses registrations: a server that stops closes its connections, and
     * must not take their instances away for that.
     */
    public void freeze() {
        keepsGone = true;
        frozen = true;
    }

    // --- ephemeral instances

    /**
     * Replaces what the publisher says about the service; an empty list leaves it a publisher without instances.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the service holds persistent instances; {@code UNAVAILABLE}
     *     when the publisher has gone or the server is stopping
     */
    public void register(Publisher publisher, ServiceKey service, List<Instance> instances) {
        publish(publisher, service, instances);
    }

    /**
     * Does not hand out any longer what is known of an instance from before a restart: its client is back only to take it
     * away. Which cluster it is in does not matter, as it does not where anything else is taken back.
     *
     * @throws CairnException {@code UNAVAILABLE} when the server is stopping
     */
    public void forgetRecovered(ServiceKey service, InstanceKey instance) {
        ServiceEntry entry = services.find(service);
        if (entry == null) {
            return;
        }
        if (frozen) {
            throw stopping();
        }
        ServiceEntry.Outcome outcome = entry.forgetRecovered(instance);
        if (outcome != ServiceEntry.Outcome.NONE) {
            losses.lost(service, LossCause.DEREGISTERED, 1, instance);
            tell(entry, outcome);
            if (!entry.hasPublishers()) {
                cleanLater(entry);
            }
        }
    }

    /** Takes back what the publisher says about the service; does nothing where that is nothing. */
    public void deregister(Publisher publisher, ServiceKey service) {
        deregister(publisher, service, LossCause.DEREGISTERED);
    }

    private void deregister(Publisher publisher, ServiceKey service, @Nullable LossCause cause) {
        refuseWhenFrozen(publisher);
        Publication removed;
        synchronized (publisher) {
            removed = publisher.remove(service);
            if (removed != null) {
                publisher.counted(-removed.hosted().length);
            }
            publisher.touch(clock.millis());
            forgetIfIdle(publisher);
        }
        if (removed != null) {
            withdraw(service, removed, cause);
        }
    }

    /** Removes a client without a connection that publishes nothing more. */
    @GuardedBy("publisher")
    private void forgetIfIdle(Publisher publisher) {
        if (publisher.kind() != Publisher.Kind.CONNECTION && publisher.isEmpty()) {
            publisher.close();
            publishers.remove(publisher.id(), publisher);
        }
    }

    /**
     * Registers an instance of a client that has no connection and beats instead.
     *
     * @throws CairnException as {@link #register}
     */
    public void registerOverHttp(ServiceKey service, Instance instance) {
        registerLeased(service, instance);
    }

    private Lease registerLeased(ServiceKey service, Instance instance) {
        Lease lease = new Lease(instance, nanoTime.getAsLong());
        Publication publication = publishAs(Publisher.Kind.HTTP, service, instance, lease);
        watch(service, publication, lease);
        return lease;
    }

    /** As {@link #deregisterOverHttp(ServiceKey, InstanceKey, LossCause)}, asked for by its client. */
    public void deregisterOverHttp(ServiceKey service, InstanceKey instance) {
        deregisterOverHttp(service, instance, LossCause.DEREGISTERED);
    }

    /** Takes back an instance that was registered without a connection; does nothing where there is none. */
    public void deregisterOverHttp(ServiceKey service, InstanceKey instance, LossCause cause) {
        Publisher publisher = publishers.get(httpId(instance));
        if (publisher != null) {
            deregister(publisher, service, cause);
        }
        forgetRecovered(service, instance);
    }

    /**
     * Notes that an instance is alive.
     *
     * @param described the instance as the beat describes it, by which an unknown one is registered; null where it does
     *     not
     */
    public BeatResult beat(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        beats.increment();
        Publisher publisher = publishers.get(httpId(instance));
        Lease lease = null;
        ServiceEntry entry = null;
        ServiceEntry.Outcome outcome = ServiceEntry.Outcome.NONE;
        if (publisher != null) {
            // Under its lock, so that a beat and its absence are noted one after the other.
            synchronized (publisher) {
                Publication publication = publisher.publication(service);
                lease = publication == null ? null : publication.lease();
                if (publication != null && lease != null) {
                    lease.beat(nanoTime.getAsLong());
                    // An operator may have found it unhealthy, too.
                    if (lease.clearOverdue()
                            || !publication.hosted()[0].published().healthy()) {
                        entry = services.find(service);
                        outcome = entry == null
                                ? outcome
                                : entry.setHealthy(publication, null, true, clock.millis(), null);
                    }
                }
            }
        }
        if (lease == null) {
            return described == null
                    ? BeatResult.UNKNOWN
                    : BeatResult.of(registerLeased(service, described).beatIntervalMillis());
        }
        if (entry != null) {
            tell(entry, outcome);
        }
        return BeatResult.of(lease.beatIntervalMillis());
    }

    private void watch(ServiceKey service, Publication publication, Lease lease) {
        lease.watchedBy(() -> timer.newTimeout(
                fired -> check(service, publication, lease, fired),
                lease.nanosUntilNextCheck(nanoTime.getAsLong()),
                TimeUnit.NANOSECONDS));
    }

    private void check(ServiceKey service, Publication publication, Lease lease, Timeout fired) {
        if (lease.isEnded() || frozen || !lease.isWatchedBy(fired)) {
            return;
        }
        long now = nanoTime.getAsLong();
        if (settings.expireInstances() && lease.isExpired(now) && expire(service, publication, lease)) {
            return;
        }
        if (lease.isOverdue(now)) {
            overdue(service, publication, lease);
        }
        watch(service, publication, lease);
    }

    /** Marks the instance unhealthy unless it has beaten, or was registered anew, in the meantime. */
    private void overdue(ServiceKey service, Publication publication, Lease lease) {
        ServiceEntry entry = services.find(service);
        if (entry == null) {
            return;
        }
        ServiceEntry.Outcome outcome;
        Publisher publisher = publication.publisher();
        synchronized (publisher) {
            if (lease.isEnded() || !lease.isOverdue(nanoTime.getAsLong()) || !lease.markOverdue()) {
                return;
            }
            outcome = entry.setHealthy(publication, null, false, clock.millis(), UnhealthyCause.HEARTBEAT);
        }
        countUnhealthy(UnhealthyCause.HEARTBEAT);
        tell(entry, outcome);
    }

    /** Removes the instance unless it has beaten in the meantime. */
    private boolean expire(ServiceKey service, Publication publication, Lease lease) {
        Publisher publisher = publication.publisher();
        synchronized (publisher) {
            // A new registration goes on with the same publication under a new lease.
            if (lease.isEnded()
                    || !lease.isExpired(nanoTime.getAsLong())
                    || publisher.publication(service) != publication) {
                return lease.isEnded();
            }
            publisher.remove(service);
            forgetIfIdle(publisher);
        }
        withdraw(service, publication, lease.isAwaited() ? LossCause.NOT_BACK : LossCause.EXPIRED);
        return true;
    }

    // --- recovery after a restart

    /**
     * Brings back the ephemeral instances of a service that were known before the server was restarted. Those of
     * connections are handed out until their publishers are back, at most until the {@linkplain #startRecoveryWindow
     * window} ends; those that beat have their usual time for the next beat.
     */
    void recover(KnownService known) {
        Map<String, List<Instance>> bySdk = new LinkedHashMap<>(2);
        for (KnownService.Connected each : known.ofConnections()) {
            bySdk.computeIfAbsent(each.sdk(), first -> new ArrayList<>()).add(each.instance());
        }
        bySdk.forEach((sdk, instances) -> publish(
                publisher(recoveredId(sdk), Publisher.Kind.RECOVERED, new Publisher.Client("", 0, "", sdk)),
                known.service(),
                instances));
        for (Instance instance : known.beating()) {
            registerLeased(known.service(), instance).awaitFirstBeat();
        }
    }

    static String recoveredId(String sdk) {
        return "recovered " + sdk;
    }

    /** The state of a service's instances that is not stored, to be remembered over a restart. */
    KnownService known(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        return KnownService.of(service, entry == null ? List.of() : entry.publications());
    }

    /** Starts the window after which recovered instances go whose publishers are not back. */
    public void startRecoveryWindow() {
        for (Publisher recovered : publishers.values()) {
            if (recovered.kind() == Publisher.Kind.RECOVERED) {
                timer.newTimeout(
                        fired -> {
                            if (!frozen) {
                                end(recovered, LossCause.NOT_BACK);
                            }
                        },
                        RecoveryWindow.of(recovered.client().version(), settings.recoveryWindow())
                                .toNanos(),
                        TimeUnit.NANOSECONDS);
            }
        }
    }

    // --- what is stored, applied after the commit

    void applyPersistent(ServiceKey service, Instance instance) {
        publishAs(Publisher.Kind.PERSISTENT, service, instance, null);
    }

    /** Whether the instance is published just so, whatever was found out about its health. */
    boolean showsButForHealth(ServiceKey service, Instance instance) {
        Publisher publisher = publishers.get(persistentId(instance.key()));
        ServiceEntry entry = services.find(service);
        return publisher != null && entry != null && entry.publishesButForHealth(publisher, instance);
    }

    void removePersistent(ServiceKey service, InstanceKey instance) {
        Publisher publisher = publishers.get(persistentId(instance));
        if (publisher != null) {
            // The caller knows the cause, and counts the loss once it is stored.
            deregister(publisher, service, null);
        }
    }

    void applySettings(ServiceKey service, ServiceSettings now) {
        changeEntry(service, now.ephemeral(), entry -> entry.configure(now));
    }

    void applyOverride(ServiceKey service, InstanceKey instance, InstanceOverride now) {
        if (!now.isNone() || services.find(service) != null) {
            changeEntry(service, true, entry -> entry.override(instance, now));
            followOverride(service, instance);
        }
    }

    /** How long an instance may be silent stands in its metadata, and those have changed. */
    private void followOverride(ServiceKey service, InstanceKey instance) {
        Publisher publisher = publishers.get(httpId(instance));
        if (publisher != null) {
            synchronized (publisher) {
                Publication publication = publisher.publication(service);
                Lease lease = publication == null ? null : publication.lease();
                if (publication != null && lease != null && lease.follow(publication.hosted()[0].shown())) {
                    watch(service, publication, lease);
                }
            }
        }
    }

    /** From now on, addresses have these labels; consumers of services that select by labels are told. */
    public void relabel(AddressLabels now) {
        if (now.equals(labels.get())) {
            return;
        }
        labels.set(now);
        for (ServiceEntry entry : services.all()) {
            tell(entry, entry.relabelled());
        }
    }

    /** Finds what is shown though it is not stored, and has it taken back. */
    void forgetUnstored(
            Set<ServiceKey> stored,
            Map<ServiceKey, Set<InstanceKey>> instances,
            Map<ServiceKey, Set<InstanceKey>> overrides,
            Consumer<NamingWrite> takeBack) {
        for (ServiceEntry entry : services.all()) {
            forgetUnstored(entry.key(), stored, instances, overrides, takeBack);
        }
    }

    /** As above, of one service. */
    void forgetUnstored(
            ServiceKey service,
            Set<ServiceKey> stored,
            Map<ServiceKey, Set<InstanceKey>> instances,
            Map<ServiceKey, Set<InstanceKey>> overrides,
            Consumer<NamingWrite> takeBack) {
        ServiceEntry entry = services.find(service);
        if (entry == null) {
            return;
        }
        for (Publication publication : entry.publications()) {
            if (publication.publisher().kind() == Publisher.Kind.PERSISTENT) {
                for (RegisteredInstance hosted : publication.hosted()) {
                    InstanceKey key = hosted.published().key();
                    if (!instances.getOrDefault(service, Set.of()).contains(key)) {
                        takeBack.accept(new NamingWrite.RemoveInstance(service, key));
                    }
                }
            }
        }
        for (InstanceKey key : entry.overrides().keySet()) {
            if (!overrides.getOrDefault(service, Set.of()).contains(key)) {
                takeBack.accept(new NamingWrite.SaveOverride(service, key, InstanceOverride.NONE));
            }
        }
        if (entry.storedSettings() != null && !stored.contains(service)) {
            tell(entry, entry.configure(null));
            cleanLater(entry);
        }
    }

    /** Forgets a service that nobody publishes instances of. */
    void removeService(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        if (entry == null) {
            return;
        }
        if (entry.retireIfUnused(true)) {
            remove(entry);
            listeners.forEach(listener -> listener.changed(service, ServiceListener.Presence.SAME));
        } else {
            // Somebody registered an instance meanwhile; that stays, what was set for the service goes.
            tell(entry, entry.forgetStored());
        }
    }

    /** Takes a retired entry out. */
    private void remove(ServiceEntry entry) {
        overrideExpiry.forget(entry);
        services.remove(entry);
    }

    private interface EntryChange {
        ServiceEntry.Outcome on(ServiceEntry entry);
    }

    private void changeEntry(ServiceKey service, boolean ephemeral, EntryChange change) {
        ServiceEntry entry;
        ServiceEntry.Outcome outcome;
        do {
            entry = services.findOrAdd(service, ephemeral);
            outcome = change.on(entry);
        } while (outcome == ServiceEntry.Outcome.RETIRED);
        tell(entry, outcome);
        if (!entry.hasPublishers()) {
            cleanLater(entry);
        }
    }

    /** The entry with its kind held until {@link ServiceEntry#release}. */
    ServiceEntry reserve(ServiceKey service, boolean ephemeral) {
        while (true) {
            ServiceEntry entry = services.findOrAdd(service, ephemeral);
            if (entry.reserve(ephemeral)) {
                return entry;
            }
        }
    }

    void release(ServiceEntry entry) {
        entry.release();
        cleanLater(entry);
    }

    @Nullable
    ServiceEntry entry(ServiceKey service) {
        return services.find(service);
    }

    /** Sets the health of an instance by hand; does nothing where there is no such instance. */
    public void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy) {
        setHealthy(service, instance, healthy, UnhealthyCause.OPERATOR);
    }

    /** Sets the health of an instance; does nothing where there is no such instance. */
    void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy, UnhealthyCause cause) {
        ServiceEntry entry = services.find(service);
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                ServiceEntry.Outcome outcome =
                        entry.setHealthy(publication, instance, healthy, clock.millis(), healthy ? null : cause);
                if (!healthy && outcome != ServiceEntry.Outcome.NONE) {
                    countUnhealthy(cause);
                }
                tell(entry, outcome);
            }
        }
    }

    /** Since when and why the instances of a service have the health that they have, without what checks have found. */
    Function<InstanceKey, InstanceHealth> health(
            ServiceSnapshot snapshot, Function<InstanceKey, InstanceHealth.@Nullable LastCheck> lastChecks) {
        Map<InstanceKey, RegisteredInstance> all = snapshot.byKey();
        return key -> {
            RegisteredInstance hosted = all.get(key);
            InstanceHealth.LastCheck check = lastChecks.apply(key);
            if (hosted == null) {
                return new InstanceHealth(0, 0, check, null);
            }
            return new InstanceHealth(
                    hosted.healthSinceMillis(),
                    hosted.published().ephemeral() ? lastBeatMillis(snapshot.service(), key) : 0,
                    check,
                    hosted.published().healthy() ? null : InstanceHealth.reason(hosted.unhealthyCause(), check));
        };
    }

    // --- the way of a change

    private Publication publishAs(Publisher.Kind kind, ServiceKey service, Instance instance, @Nullable Lease lease) {
        InstanceKey key = instance.key();
        String id = kind == Publisher.Kind.HTTP ? httpId(key) : persistentId(key);
        Publisher.Client client = new Publisher.Client(key.ip(), key.port(), "", "");
        while (true) {
            Publisher publisher = publisher(id, kind, client);
            Publication publication = tryPublish(publisher, service, List.of(instance), lease);
            if (publication != null) {
                return publication;
            }
            // Its last instance was taken back since we looked.
            publishers.remove(id, publisher);
        }
    }

    private void publish(Publisher publisher, ServiceKey service, List<Instance> instances) {
        if (tryPublish(publisher, service, instances, null) == null) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "Client " + publisher.id() + " has gone; nothing was registered");
        }
    }

    /** Null when the publisher has gone. */
    private @Nullable Publication tryPublish(
            Publisher publisher, ServiceKey service, List<Instance> instances, @Nullable Lease lease) {
        refuseWhenFrozen(publisher);
        ServiceEntry entry;
        ServiceEntry.Outcome outcome;
        Publication publication;
        RegisteredInstance[] before;
        int more;
        synchronized (publisher) {
            if (publisher.isClosed()) {
                return null;
            }
            Publication known = publisher.publication(service);
            before = known == null ? new RegisteredInstance[0] : known.hosted();
            more = instances.size() - before.length;
            checkInstances(publisher, more);
            publication = known != null ? known : new Publication(publisher, new RegisteredInstance[0]);
            long number = sequence.incrementAndGet();
            try {
                do {
                    entry = services.findOrAdd(service, publisher.isEphemeral());
                    outcome = entry.publish(publication, instances, number, clock.millis());
                } while (outcome == ServiceEntry.Outcome.RETIRED);
                publisher.put(service, publication);
                publisher.counted(more);
                publication.leaseWith(lease);
            } finally {
                forgetIfIdle(publisher);
            }
            publisher.touch(clock.millis());
        }
        if (more < 0) {
            losses.lost(
                    service,
                    LossCause.DEREGISTERED,
                    -more,
                    before[0].published().key());
        }
        tell(entry, outcome);
        return publication;
    }

    private void checkInstances(Publisher publisher, int more) {
        Limit limit = instanceLimit;
        if (limit != null && more > 0 && publisher.kind() == Publisher.Kind.CONNECTION) {
            limit.check((long) publisher.instances() + more);
        }
    }

    private void refuseWhenFrozen(Publisher publisher) {
        // Persistent instances are shown until the server has stopped.
        if (frozen && publisher.isEphemeral()) {
            throw stopping();
        }
    }

    private static CairnException stopping() {
        return new CairnException(ErrorCode.UNAVAILABLE, "The server is stopping; try another one");
    }

    /** @param cause null where the loss is counted elsewhere */
    private void withdraw(ServiceKey service, Publication publication, @Nullable LossCause cause) {
        Lease lease = publication.lease();
        if (lease != null) {
            lease.end();
        }
        ServiceEntry entry = services.find(service);
        if (entry != null) {
            ServiceEntry.Outcome outcome = entry.withdraw(publication);
            if (cause != null && outcome != ServiceEntry.Outcome.NONE) {
                losses.lost(service, cause, publication.hosted());
            }
            tell(entry, outcome);
            if (outcome != ServiceEntry.Outcome.NONE && !entry.hasPublishers()) {
                cleanLater(entry);
            }
        }
    }

    /** Calls the listeners, which take locks of their own: without the lock of the service. */
    private void tell(ServiceEntry entry, ServiceEntry.Outcome outcome) {
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
            listener.changed(entry.key(), presence);
        }
    }

    private void cleanLater(ServiceEntry entry) {
        entry.cleanedBy(timer.newTimeout(
                fired -> clean(entry), settings.emptyServiceExpiry().toNanos(), TimeUnit.NANOSECONDS));
    }

    /** Persistent services that somebody has created stay; what was set for others goes with them. */
    private void clean(ServiceEntry entry) {
        ExpiredOverrides listener = onExpiredOverrides;
        if (!frozen && listener != null && !listener.isMine() && entry.hasStored() && !entry.hasPublishers()) {
            cleanLater(entry);
            return;
        }
        if (!frozen && entry.retireIfExpired()) {
            remove(entry);
            if (listener != null && entry.hasStored()) {
                listener.expired(entry.key(), entry.overrides().keySet());
            }
        }
    }

    // --- reads

    /** The characters that all keys and values of an instance's metadata may have together. */
    public int maxMetadata() {
        return settings.maxMetadata();
    }

    /** The service as it is now; empty when there is none. */
    public ServiceSnapshot snapshot(ServiceKey service) {
        // The time first: where there is none yet, the first list of it must be later than the empty one.
        long now = clock.millis();
        ServiceEntry entry = services.find(service);
        return entry == null ? ServiceSnapshot.absent(service, now) : entry.snapshot(clock.millis(), labels);
    }

    /**
     * The service as it is now, for consumers who ask for it again and again. Its time is younger than what clients may keep a
     * list for: the SDK for Go drops an answer that is not later than its list, and asks again a second later, not after that
     * time.
     */
    public ServiceSnapshot listed(ServiceKey service) {
        long now = clock.millis();
        ServiceEntry entry = services.find(service);
        return entry == null
                ? ServiceSnapshot.absent(service, now)
                : entry.recentSnapshot(clock.millis(), switches.cacheMillis() / 2, labels);
    }

    /** The service as it is now, or null when there is none. */
    public @Nullable ServiceSnapshot find(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        return entry == null ? null : entry.snapshot(clock.millis(), labels);
    }

    /**
     * The view that consumers get, without the choice by their labels ({@link ServiceView#seenFrom}); without hosts when there is no such service.
     *
     * @param clusters names separated by commas; null or empty for all
     */
    public ServiceView view(ServiceKey service, @Nullable String clusters, boolean healthyOnly) {
        return listed(service).view(clusters == null ? "" : clusters, healthyOnly, switches.cacheMillis());
    }

    /** The view for a client that ends its subscription: without instances. */
    public ServiceView nothingOf(ServiceKey service, @Nullable String clusters) {
        return ServiceSnapshot.absent(service, clock.millis())
                .view(clusters == null ? "" : clusters, false, switches.cacheMillis());
    }

    /** Whether the service has instances at the moment. */
    public boolean hasInstances(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        return entry != null && entry.instanceCount() > 0;
    }

    /** How many instances the service has and how they are; cheaper than a {@link #snapshot} where many are looked at. */
    public ServiceTally tally(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        return entry == null ? ServiceTally.NOTHING : entry.tally();
    }

    /** The names of the services of a group, in order; a view that changes with them. */
    public Set<String> serviceNames(Namespace namespace, String group) {
        return Collections.unmodifiableSet(services.names(namespace, group));
    }

    /** As {@link #serviceNames(Namespace, String)}, those that may be seen. */
    public Collection<String> serviceNames(Namespace namespace, String group, ReadScope visible) {
        Set<String> names = serviceNames(namespace, group);
        return visible.isAll()
                ? names
                : names.stream()
                        .filter(name -> visible.has(new ServiceKey(namespace, group, name)))
                        .toList();
    }

    /** The namespaces that have or had services. */
    public Set<Namespace> namespaces() {
        return Collections.unmodifiableSet(services.namespaces());
    }

    /** The instances of a service as consumers see them, for one look at them: nothing is made that would be kept. */
    public List<Instance> instances(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        return entry == null ? List.of() : entry.instances();
    }

    /** Every service of a namespace, ordered by group and name. */
    public void forEachService(Namespace namespace, Consumer<ServiceSnapshot> consumer) {
        services.forEach(namespace, entry -> consumer.accept(entry.snapshot(clock.millis(), labels)));
    }

    /** The services of a namespace, without a look at their instances, ordered by group and name. */
    public void forEachServiceKey(Namespace namespace, Consumer<ServiceKey> consumer) {
        services.forEach(namespace, entry -> consumer.accept(entry.key()));
    }

    /** The persistent instance at that address as it is published now, or null when there is none. */
    @Nullable
    Instance persistent(ServiceKey service, InstanceKey address) {
        Publisher publisher = publishers.get(persistentId(address));
        if (publisher == null) {
            return null;
        }
        synchronized (publisher) {
            Publication publication = publisher.publication(service);
            return publication == null || publication.hosted().length == 0 ? null : publication.hosted()[0].published();
        }
    }

    /** Everybody who publishes instances, or did so on a connection that is still open. */
    public Collection<Publisher> publishers() {
        return publishers.values().stream()
                .filter(publisher -> publisher.kind() != Publisher.Kind.RECOVERED)
                .toList();
    }

    public @Nullable Publisher publisher(String id) {
        return publishers.get(id);
    }

    /** The instances that the publisher has published, by service. */
    public Map<ServiceKey, List<Instance>> publishedBy(Publisher publisher) {
        Map<ServiceKey, List<Instance>> published = new LinkedHashMap<>();
        synchronized (publisher) {
            for (ServiceKey service : publisher.services()) {
                Publication publication = publisher.publication(service);
                if (publication != null) {
                    published.put(service, shown(publication));
                }
            }
        }
        return published;
    }

    /** The publishers of the service, each with its instances. */
    public Map<Publisher, List<Instance>> publishersOf(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        Map<Publisher, List<Instance>> published = new LinkedHashMap<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                published.put(publication.publisher(), shown(publication));
            }
        }
        return published;
    }

    private static List<Instance> shown(Publication publication) {
        List<Instance> instances = new ArrayList<>();
        for (RegisteredInstance hosted : publication.hosted()) {
            instances.add(hosted.shown());
        }
        return instances;
    }

    /** When an instance without a connection last beat, or was registered, in epoch milliseconds; 0 where there is none. */
    long lastBeatMillis(ServiceKey service, InstanceKey instance) {
        Publisher publisher = publishers.get(httpId(instance));
        if (publisher == null) {
            return 0;
        }
        synchronized (publisher) {
            Publication publication = publisher.publication(service);
            Lease lease = publication == null ? null : publication.lease();
            return lease == null
                    ? 0
                    : clock.millis() - TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - lease.lastBeatNanos());
        }
    }

    /** The addresses that connections have registered, with the time when each connection last registered something. */
    Map<Address, Long> connectedSince(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        Map<Address, Long> addresses = new HashMap<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                if (publication.publisher().kind() == Publisher.Kind.CONNECTION) {
                    long millis = publication.publisher().lastUpdatedMillis();
                    for (RegisteredInstance hosted : publication.hosted()) {
                        addresses.merge(Address.of(hosted.published().key()), millis, Math::max);
                    }
                }
            }
        }
        return addresses;
    }

    /** An instance without its cluster, which plays no part in who keeps it alive. */
    record Address(String ip, int port) {

        static Address of(InstanceKey key) {
            return new Address(key.ip(), key.port());
        }

        InstanceKey asKey() {
            return new InstanceKey(ip, port, "");
        }
    }

    /** The addresses of a service's ephemeral instances, but for those that are only remembered. */
    private Set<Address> registered(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        Set<Address> addresses = new HashSet<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                if (publication.publisher().kind() != Publisher.Kind.RECOVERED) {
                    for (RegisteredInstance hosted : publication.hosted()) {
                        addresses.add(Address.of(hosted.published().key()));
                    }
                }
            }
        }
        return addresses;
    }

    /** Instances that were known before the restart, did not come back in time, and are not registered now either. */
    public InstanceLosses.Extent notBack() {
        return losses.notBack(this::registered);
    }

    /** How often an instance became unhealthy for that cause. */
    public long unhealthyCount(UnhealthyCause cause) {
        LongAdder count = unhealthy.get(cause);
        return count == null ? 0 : count.sum();
    }

    private void countUnhealthy(UnhealthyCause cause) {
        LongAdder count = unhealthy.get(cause);
        if (count != null) {
            count.increment();
        }
    }

    /** How many beats have come in. */
    public long beatCount() {
        return beats.sum();
    }

    /** How many services there are. */
    public int serviceCount() {
        return services.size();
    }

    /** How many instances there are, in all services. */
    public long instanceCount() {
        return services.instances();
    }

    private static String httpId(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#true";
    }

    private static String persistentId(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#false";
    }
}

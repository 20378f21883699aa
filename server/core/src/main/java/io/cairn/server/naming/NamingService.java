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
import io.cairn.server.node.NodeId;
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
 * <p>What is persistent comes in through {@link StoredNaming}, after it was stored. What other nodes of the group own comes in through
 * {@link MirroredPublications}; what this node owns is recorded with {@link OwnChanges}.
 */
public final class NamingService implements OwnPublications {

    /** In place of a time: the present one. */
    private static final long NOW = -1;
    /** Older than all that clients register: what is known from before a restart never wins over a registration. */
    private static final long BEFORE_ALL = 0;

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
    private final MirroredPublications mirrored = new MirroredPublications(this);
    private final NodePause pause;
    private volatile Group group = Group.alone(sequence::incrementAndGet);
    /** Silence of HTTP clients, and the windows of recovered publications, begin at this time at the earliest. */
    private volatile long renewedNanos;

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
    public NamingService(NamingSettings settings, Switches switches, Timer timer, Clock clock, LongSupplier nanoTime) {
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
        this.pause = new NodePause(nanoTime);
        this.renewedNanos = nanoTime.getAsLong();
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

    // --- the group of nodes

    /**
     * The group that this node is a member of.
     *
     * @param self address of this node
     * @param stamps gives the times of registrations
     * @param isShared whether there can be other members
     */
    private record Group(String self, OwnChanges changes, LongSupplier stamps, boolean isShared) {

        static Group alone(LongSupplier stamps) {
            return new Group("", OwnChanges.NONE, stamps, false);
        }
    }

    /**
     * Makes the registry part of a group of nodes. To be called before it knows any instance. The clock of the registry has to be that
     * of the group, so that a client that moves to another node gets no list with an older time.
     *
     * @param self address of this node, by which others know it
     * @param stamps a unique time of the clock of the group on each call, each later than the ones before
     * @param changes gets what changes here
     */
    public void joinGroup(String self, LongSupplier stamps, OwnChanges changes) {
        group = new Group(self, changes, stamps, true);
    }

    /** The publications of the other nodes of the group, for the copies of them. */
    public MirroredRegistry mirroredRegistry() {
        return mirrored;
    }

    /** Takes clients without a connection from other nodes and hands them over, as the owners change. */
    public ClientHandover handover() {
        return new ClientHandover(this, mirrored);
    }

    /** Calls it with the id of each client without a connection that another node publishes or holds; it must return at once. */
    public void onMirroredClient(Consumer<String> listener) {
        mirrored.onClient(listener);
    }

    /**
     * To be called every second by a thread of the group. After a pause of this node and while it is cut off, the leases of HTTP clients
     * and the windows of recovered publications begin again: the clients may be at other nodes, which this node does not see yet.
     *
     * @param isInStep whether the copies of all members are up to date
     * @param isCutOff whether this node does not see a node that is alive
     */
    public void everySecond(boolean isInStep, boolean isCutOff) {
        findPause();
        pause.ran();
        if (isCutOff) {
            renewLeases();
        } else if (isInStep) {
            pause.caughtUp();
        }
    }

    private void findPause() {
        if (group.isShared() && pause.find()) {
            renewLeases();
        }
    }

    /** All leases of HTTP clients and all windows of recovered publications begin again. */
    private void renewLeases() {
        renewedNanos = nanoTime.getAsLong();
    }

    @Override
    public @Nullable OwnPublication publication(String publisherId, ServiceKey service) {
        Publisher publisher = publishers.get(publisherId);
        if (publisher == null || !publisher.isEphemeral()) {
            return null;
        }
        synchronized (publisher) {
            Publication publication = publisher.publication(service);
            // One without an owner that has lost its last instance is about to be recorded as moved.
            if (publication == null || !publication.isOwned() && publication.size() == 0) {
                return null;
            }
            List<Instance> instances = new ArrayList<>();
            for (RegisteredInstance hosted : publication.hosted()) {
                instances.add(hosted.published());
            }
            return new OwnPublication(
                    new PublisherDescription(publisher.id(), publisher.kind(), publisher.client()),
                    publication.publishedAt(),
                    instances);
        }
    }

    /** How many instances of other nodes are shown that have no owner any more: their node has left, or has handed them over. */
    public long heldInstances() {
        return mirrored.heldInstances();
    }

    /** The node that owns the ephemeral instance; null for this one, and where there is no such instance. */
    public @Nullable NodeId originOf(ServiceKey service, InstanceKey instance) {
        ServiceEntry entry = services.find(service);
        Publication latest = null;
        if (entry != null) {
            for (Publication each : entry.publications()) {
                if ((latest == null || each.publishedAt() >= latest.publishedAt()) && each.names(instance)) {
                    latest = each;
                }
            }
        }
        return latest == null ? null : latest.publisher().origin();
    }

    /** This node checks the persistent instance: what another node has found before no longer counts. */
    void checkedHere(ServiceKey service, InstanceKey instance) {
        mirrored.forgetCheck(service, instance);
    }

    /** Shows what a check of this node or of another one has found. */
    void showChecked(ServiceKey service, InstanceKey instance, boolean healthy) {
        Instance known = persistent(service, instance);
        if (known != null) {
            setHealthy(service, known.key(), healthy, UnhealthyCause.CHECK);
        }
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

    /** As {@link #connectionClosed(String, boolean)}, not asked to move. */
    public void connectionClosed(String connectionId) {
        connectionClosed(connectionId, false);
    }

    /**
     * A connection has ended: all that it has published goes with it. In a group, it stays until the client has registered at another
     * node, or the window ends, if the client was asked to move or this node was paused and does not know why the connection ended.
     *
     * @param moves whether the client was asked to move to another node
     */
    public void connectionClosed(String connectionId, boolean moves) {
        Publisher publisher = publishers.get(connectionId);
        if (publisher == null || publisher.kind() != Publisher.Kind.CONNECTION || frozen) {
            return;
        }
        findPause();
        if (group.isShared() && (moves || keepsGone || pause.isFound())) {
            leave(publisher);
        } else if (!keepsGone) {
            end(publisher, LossCause.CONNECTION_CLOSED);
        }
    }

    /** Keeps the publications of a connection that has ended, under its id. */
    private void leave(Publisher publisher) {
        Map<ServiceEntry, ServiceEntry.Outcome> outcomes = new LinkedHashMap<>();
        synchronized (publisher) {
            if (publisher.isClosed()) {
                return;
            }
            publisher.close();
            publisher.become(Publisher.Kind.RECOVERED);
            for (ServiceKey service : publisher.services()) {
                Publication publication = publisher.publication(service);
                ServiceEntry entry = services.find(service);
                if (publication != null && entry != null) {
                    outcomes.put(entry, entry.disown(publication));
                    group.changes().published(publisher.id(), service);
                }
            }
            removeIfLeft(publisher);
        }
        outcomes.forEach(this::changed);
        endWithWindow(publisher);
    }

    /** Removes the publisher of a connection that has ended, if nothing is kept of it any more. */
    @GuardedBy("publisher")
    private void removeIfLeft(Publisher publisher) {
        if (publisher.isClosed() && publisher.isEmpty()) {
            publishers.remove(publisher.id(), publisher);
        }
    }

    private void end(Publisher publisher, LossCause cause) {
        Map<ServiceKey, Publication> all;
        synchronized (publisher) {
            publisher.close();
            all = publisher.takeAll();
            all.keySet().forEach(service -> withdrawn(publisher, service));
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
        publish(publisher, service, instances, NOW);
    }

    /**
     * Does not hand out any longer what is known of an instance from before a restart: its client is back only to take it
     * away. Which cluster it is in does not matter, as it does not where anything else is taken back.
     *
     * @throws CairnException {@code UNAVAILABLE} when the server is stopping
     */
    public void forgetRecovered(ServiceKey service, InstanceKey instance) {
        ServiceEntry entry = services.find(service);
        if (entry == null && !group.isShared()) {
            return;
        }
        if (frozen) {
            throw stopping();
        }
        if (entry != null) {
            ServiceEntry.Outcome outcome = entry.forgetRecovered(instance, Long.MAX_VALUE);
            if (outcome != ServiceEntry.Outcome.NONE) {
                losses.lost(service, LossCause.DEREGISTERED, 1, instance);
                changed(entry, outcome);
            }
        }
        // Also where nothing is known of it here: another node may still hold it.
        group.changes().forgotten(service, instance);
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
                publisher.counted(-removed.size());
                withdrawn(publisher, service);
                if (publisher.kind() == Publisher.Kind.CONNECTION) {
                    forgotten(service, removed.hosted(), List.of());
                }
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
        return registerLeased(service, instance, NOW);
    }

    private Lease registerLeased(ServiceKey service, Instance instance, long publishedAt) {
        Lease lease = new Lease(instance, nanoTime.getAsLong());
        Publication publication = publishAs(Publisher.Kind.HTTP, service, instance, lease, publishedAt);
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
                    boolean wasOverdue = lease.clearOverdue();
                    if (wasOverdue) {
                        // The next check was set for the removal, which may be long after the instance is silent again.
                        watch(service, publication, lease);
                    }
                    // An operator may have found it unhealthy, too.
                    if (wasOverdue || !publication.hosted()[0].published().healthy()) {
                        entry = services.find(service);
                        outcome = entry == null
                                ? outcome
                                : entry.setHealthy(publication, null, true, clock.millis(), null);
                        recordIfChanged(publication, service, outcome);
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
                lease.nanosUntilNextCheck(nanoTime.getAsLong(), renewedNanos),
                TimeUnit.NANOSECONDS));
    }

    private void check(ServiceKey service, Publication publication, Lease lease, Timeout fired) {
        if (lease.isEnded() || frozen || !lease.isWatchedBy(fired)) {
            return;
        }
        findPause();
        long now = nanoTime.getAsLong();
        if (settings.expireInstances() && lease.isExpired(now, renewedNanos) && expire(service, publication, lease)) {
            return;
        }
        if (lease.isOverdue(now, renewedNanos)) {
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
            if (lease.isEnded() || !lease.isOverdue(nanoTime.getAsLong(), renewedNanos) || !lease.markOverdue()) {
                return;
            }
            outcome = entry.setHealthy(publication, null, false, clock.millis(), UnhealthyCause.HEARTBEAT);
            recordIfChanged(publication, service, outcome);
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
                    || !lease.isExpired(nanoTime.getAsLong(), renewedNanos)
                    || publisher.publication(service) != publication) {
                return lease.isEnded();
            }
            publisher.remove(service);
            withdrawn(publisher, service);
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
                instances,
                BEFORE_ALL));
        for (Instance instance : known.beating()) {
            registerLeased(known.service(), instance, BEFORE_ALL).awaitFirstBeat();
        }
        // A client that is at another node already would come back here when it ends there.
        ServiceEntry entry = services.find(known.service());
        if (entry != null) {
            changed(entry, entry.forgetRecoveredWithOwner(BEFORE_ALL), true);
        }
    }

    static String recoveredId(String sdk) {
        return "recovered " + sdk;
    }

    /** The state of a service's instances that is not stored, to be remembered over a restart. */
    KnownService known(ServiceKey service) {
        ServiceEntry entry = services.find(service);
        return KnownService.of(service, entry == null ? List.of() : entry.ownPublications());
    }

    /** Starts the window after which recovered instances go whose publishers are not back. */
    public void startRecoveryWindow() {
        for (Publisher recovered : publishers.values()) {
            if (recovered.kind() == Publisher.Kind.RECOVERED) {
                endWithWindow(recovered);
            }
        }
    }

    private void endWithWindow(Publisher recovered) {
        long window = RecoveryWindow.of(recovered.client().version(), settings.recoveryWindow())
                .toNanos();
        endAfter(recovered, nanoTime.getAsLong(), window, window);
    }

    private void endAfter(Publisher recovered, long sinceNanos, long window, long left) {
        timer.newTimeout(
                fired -> {
                    findPause();
                    long renewed = renewedNanos;
                    if (frozen) {
                        return;
                    }
                    if (renewed - sinceNanos > 0) {
                        long over = nanoTime.getAsLong() - renewed;
                        endAfter(recovered, renewed, window, Math.max(1, window - over));
                    } else {
                        end(recovered, recovered.isLeft() ? LossCause.CONNECTION_CLOSED : LossCause.NOT_BACK);
                    }
                },
                left,
                TimeUnit.NANOSECONDS);
    }

    // --- what is stored, applied after the commit

    void applyPersistent(ServiceKey service, Instance instance) {
        publishAs(Publisher.Kind.PERSISTENT, service, instance, null, NOW);
        if (mirrored.isFoundUnhealthy(service, instance.key())) {
            showChecked(service, instance.key(), false);
        }
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
        mirrored.forgetCheck(service, instance);
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
        for (Publication publication : entry.ownPublications()) {
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

    /** Sets the health of an instance of this node by hand; does nothing where there is no such instance. */
    public void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy) {
        setHealthy(service, instance, healthy, UnhealthyCause.OPERATOR);
    }

    /** Sets the health of an instance; does nothing where there is no such instance. */
    void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy, UnhealthyCause cause) {
        ServiceEntry entry = services.find(service);
        if (entry != null) {
            for (Publication publication : entry.ownPublications()) {
                Publisher publisher = publication.publisher();
                ServiceEntry.Outcome outcome;
                synchronized (publisher) {
                    outcome = entry.setHealthy(publication, instance, healthy, clock.millis(), healthy ? null : cause);
                    recordIfChanged(publication, service, outcome);
                }
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

    private Publication publishAs(
            Publisher.Kind kind, ServiceKey service, Instance instance, @Nullable Lease lease, long publishedAt) {
        InstanceKey key = instance.key();
        String id = kind == Publisher.Kind.HTTP ? httpId(key) : persistentId(key);
        Publisher.Client client = new Publisher.Client(key.ip(), key.port(), "", "");
        while (true) {
            Publisher publisher = publisher(id, kind, client);
            Publication publication = tryPublish(publisher, service, List.of(instance), lease, publishedAt);
            if (publication != null) {
                return publication;
            }
            // Its last instance was taken back since we looked.
            publishers.remove(id, publisher);
        }
    }

    private void publish(Publisher publisher, ServiceKey service, List<Instance> instances, long publishedAt) {
        if (tryPublish(publisher, service, instances, null, publishedAt) == null) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "Client " + publisher.id() + " has gone; nothing was registered");
        }
    }

    /**
     * Null when the publisher has gone.
     *
     * @param publishedAt the time of the registration; one that is not later than that of the present publication changes nothing
     */
    private @Nullable Publication tryPublish(
            Publisher publisher,
            ServiceKey service,
            List<Instance> instances,
            @Nullable Lease lease,
            long publishedAt) {
        refuseWhenFrozen(publisher);
        Group members = group;
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
            if (known != null && publishedAt != NOW && known.publishedAt() >= publishedAt) {
                if (lease != null) {
                    lease.end();
                }
                return known;
            }
            before = known == null ? new RegisteredInstance[0] : known.hosted();
            more = instances.size() - before.length;
            checkInstances(publisher, more);
            publication = known != null ? known : new Publication(publisher);
            long number = publishedAt != NOW ? publishedAt : stamp(members, known);
            try {
                do {
                    entry = services.findOrAdd(service, publisher.isEphemeral());
                    outcome = entry.publish(publication, instances, number, clock.millis(), members.isShared());
                } while (outcome == ServiceEntry.Outcome.RETIRED);
                publisher.put(service, publication);
                publisher.counted(more);
                publication.leaseWith(lease);
            } finally {
                forgetIfIdle(publisher);
            }
            publisher.touch(clock.millis());
            if (members.isShared() && publisher.isEphemeral()) {
                members.changes().published(publisher.id(), service);
                forgotten(service, before, instances);
            }
        }
        if (more < 0) {
            losses.lost(
                    service,
                    LossCause.DEREGISTERED,
                    -more,
                    before[0].published().key());
        }
        changed(entry, outcome);
        return publication;
    }

    /** Later than that of the present publication, also where the clock of the group is behind it. */
    private static long stamp(Group members, @Nullable Publication known) {
        long now = members.stamps().getAsLong();
        return known == null ? now : Math.max(now, known.publishedAt() + 1);
    }

    /**
     * Publishes as that of this node the instance of an HTTP client that another node has published or holds, with the time of its
     * registration and a lease that begins now.
     *
     * @return whether it was still there, and this node had none from the same time or later
     */
    boolean adopt(ServiceKey service, Publication from) {
        Publisher origin = from.publisher();
        if (frozen || hasPublished(origin.id(), service, from.publishedAt())) {
            return false;
        }
        List<Instance> instances = from.decode();
        if (instances.size() != 1) {
            return false;
        }
        Lease lease = new Lease(instances.get(0), nanoTime.getAsLong());
        while (true) {
            Publisher publisher = publisher(origin.id(), Publisher.Kind.HTTP, origin.client());
            ServiceEntry entry = services.find(service);
            ServiceEntry.Outcome outcome = ServiceEntry.Outcome.NONE;
            Publication publication;
            synchronized (publisher) {
                if (publisher.isClosed()) {
                    publishers.remove(publisher.id(), publisher);
                    continue;
                }
                Publication known = publisher.publication(service);
                publication = known != null ? known : new Publication(publisher);
                try {
                    if (entry != null && (known == null || known.publishedAt() < from.publishedAt())) {
                        outcome = entry.adopt(publication, from, clock.millis());
                    }
                    if (outcome != ServiceEntry.Outcome.NONE) {
                        publisher.put(service, publication);
                        publisher.counted(known == null ? 1 : 0);
                        publication.leaseWith(lease);
                        group.changes().published(publisher.id(), service);
                    }
                } finally {
                    forgetIfIdle(publisher);
                }
            }
            if (entry == null || outcome == ServiceEntry.Outcome.NONE) {
                return false;
            }
            changed(entry, outcome);
            watch(service, publication, lease);
            return true;
        }
    }

    /**
     * Publishes as that of this node the instance of an HTTP client, with that time of registration and a lease that begins now, where
     * this node has none from the same time or later.
     */
    void adopt(ServiceKey service, Instance instance, long publishedAt) {
        if (!frozen && !hasPublished(httpId(instance.key()), service, publishedAt)) {
            registerLeased(service, instance, publishedAt);
        }
    }

    /** Whether the publisher of this node has a publication from then or later. */
    private boolean hasPublished(String publisherId, ServiceKey service, long since) {
        Publisher publisher = publishers.get(publisherId);
        if (publisher == null) {
            return false;
        }
        synchronized (publisher) {
            Publication known = publisher.publication(service);
            return known != null && known.publishedAt() >= since;
        }
    }

    /**
     * Withdraws the publication of an HTTP client, for another node has published it at the same time or later.
     *
     * @return whether there was one
     */
    boolean handOver(String clientId, ServiceKey service, Publication to) {
        Publisher publisher = publishers.get(clientId);
        NodeId owner = to.publisher().origin();
        if (publisher == null || owner == null || frozen) {
            return false;
        }
        Publication removed;
        synchronized (publisher) {
            removed = publisher.publication(service);
            if (removed == null || removed.publishedAt() > to.publishedAt()) {
                return false;
            }
            publisher.remove(service);
            publisher.counted(-removed.size());
            group.changes().moved(clientId, service, owner.address());
            forgetIfIdle(publisher);
        }
        withdraw(service, removed, null);
        return true;
    }

    // --- what is recorded for the other nodes

    @GuardedBy("publisher")
    private void withdrawn(Publisher publisher, ServiceKey service) {
        if (publisher.isEphemeral()) {
            group.changes().withdrawn(publisher.id(), service);
        }
    }

    /** Takes the lock of the publisher, which the caller holds already. */
    @SuppressWarnings("ReferenceEquality") // this publication, not one like it
    private void recordIfChanged(Publication publication, ServiceKey service, ServiceEntry.Outcome outcome) {
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
    private void forgotten(ServiceKey service, RegisteredInstance[] before, List<Instance> now) {
        if (!group.isShared() || before.length == 0) {
            return;
        }
        Set<Address> present = new HashSet<>();
        now.forEach(instance -> present.add(Address.of(instance.key())));
        for (RegisteredInstance each : before) {
            InstanceKey key = each.published().key();
            if (!present.contains(Address.of(key))) {
                group.changes().forgotten(service, key);
            }
        }
    }

    /** Follows a change of a service: records what has ended with it, calls the listeners, and removes an unused service later. */
    private void changed(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        changed(entry, outcome, true);
    }

    /** As {@link #changed(ServiceEntry, ServiceEntry.Outcome)}, where another node has changed what it owns. */
    void changedElsewhere(ServiceEntry entry, ServiceEntry.Outcome outcome) {
        changed(entry, outcome, false);
    }

    private void changed(ServiceEntry entry, ServiceEntry.Outcome outcome, boolean isOwn) {
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

    ServiceEntry findOrAdd(ServiceKey service) {
        return services.findOrAdd(service, true);
    }

    long nowMillis() {
        return clock.millis();
    }

    Collection<Publisher> ownPublishers() {
        return publishers.values();
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
            changed(entry, outcome);
        }
    }

    private void tell(ServiceEntry entry, ServiceEntry.Outcome outcome) {
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
     * time. In a group it is the present time, because the client may have got its list from another node.
     */
    public ServiceSnapshot listed(ServiceKey service) {
        long now = clock.millis();
        ServiceEntry entry = services.find(service);
        return entry == null
                ? ServiceSnapshot.absent(service, now)
                : entry.recentSnapshot(clock.millis(), group.isShared() ? 0 : switches.cacheMillis() / 2, labels);
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

    /** All that publish instances at this node, or did so on a connection that is still open. */
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
                if (publication.publisher().isOwn() || publication.isOwned()) {
                    published.put(publication.publisher(), shown(publication));
                }
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
                if (publication.isOwned()) {
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

    static String httpId(InstanceKey instance) {
        return ClientOwnership.clientId(instance);
    }

    private static String persistentId(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + "#false";
    }
}

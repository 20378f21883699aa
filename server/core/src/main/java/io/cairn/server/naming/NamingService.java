package io.cairn.server.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.limit.Limit;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.node.NodeId;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry: the instances of each service. Everything here is in memory and nothing blocks; each change takes the
 * locks of its publisher and of its service for a moment, and there is no lock for all. Thread-safe.
 *
 * <p>Edges and other nodes call this class; its parts do the work: {@link Registry} has the state and its listeners,
 * {@link Registrations} registers and deregisters, {@link HttpLeases} handles heartbeats, {@link Recovery} has the
 * instances that are remembered from before a restart, {@link RegistryView} reads. Persistent instances are added by
 * {@link StoredNaming}, after they were stored, and {@link StoredChanges}. Instances that other nodes of the group own
 * are added by {@link MirroredPublications}; those that this node owns are recorded with {@link OwnChanges}.
 */
public final class NamingService implements OwnPublications {

    private final Switches switches;
    private final Registry registry;
    private final Registrations registrations;
    private final HealthChanges health;
    private final LeaseRenewal renewal;
    private final HttpLeases leases;
    private final Recovery recovery;
    private final MirroredPublications mirrored;
    private final StoredChanges stored;
    private final RegistryView reads;
    private final List<Runnable> relabelled = new CopyOnWriteArrayList<>();

    public NamingService(NamingSettings settings, Switches switches, Timer timer, Clock clock) {
        this(settings, switches, timer, clock, System::nanoTime);
    }

    /** @param nanoTime replaces {@link System#nanoTime} in tests */
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
        this.switches = switches;
        this.registry = new Registry(settings, timer, clock, nanoTime, losses);
        this.registrations = new Registrations(registry);
        this.health = new HealthChanges(registry);
        this.renewal = new LeaseRenewal(registry);
        this.leases = new HttpLeases(registry, registrations, health, renewal);
        this.recovery = new Recovery(registry, registrations, leases, renewal);
        this.mirrored = new MirroredPublications(registry, health, recovery);
        this.stored = new StoredChanges(registry, registrations, leases, health, mirrored);
        this.reads = new RegistryView(registry, switches, leases);
    }

    /**
     * Makes the registry part of a group of nodes. Call it before the first instance is added. The clock of the
     * registry must be that of the group, so that a client that moves to another node gets no list with an older time.
     *
     * @param self address of this node, by which others know it
     * @param stamps a unique time of the clock of the group on each call, each later than the ones before
     * @param changes receives the changes of this registry
     */
    public void joinGroup(String self, LongSupplier stamps, OwnChanges changes) {
        registry.joinGroup(self, stamps, changes);
    }

    /** The publications of the other nodes of the group, for the copies of them. */
    public MirroredRegistry mirroredRegistry() {
        return mirrored;
    }

    /** Takes clients without a connection from other nodes and hands them over, as the owners change. */
    public ClientHandover handover() {
        return new ClientHandover(registry, registrations, leases, mirrored);
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
        renewal.everySecond(isInStep, isCutOff);
    }

    @Override
    public @Nullable OwnPublication publication(String publisherId, ServiceKey service) {
        return registrations.publication(publisherId, service);
    }

    /** How many instances of other nodes are shown that have no owner any more: their node has left, or has handed them over. */
    public long heldInstances() {
        return mirrored.heldInstances();
    }

    /** The node that owns the ephemeral instance; null for this one, and where there is no such instance. */
    public @Nullable NodeId originOf(ServiceKey service, InstanceKey instance) {
        return reads.originOf(service, instance);
    }

    /** Whether a row of the service is stored, as far as this node knows. */
    boolean isStored(ServiceKey service) {
        return reads.isStored(service);
    }

    /** The publisher of a long connection; created on the first call, removed by {@link #connectionClosed}. */
    public Publisher connection(String connectionId, Publisher.Client client) {
        return registry.publisher(connectionId, Publisher.Kind.CONNECTION, client);
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
        recovery.connectionClosed(connectionId, moves);
    }

    /**
     * From now on, the instances of a connection stay when it closes, because the server stops and its clients move.
     */
    public void keepInstancesOfTheGone() {
        registry.keepInstancesOfTheGone();
    }

    /**
     * Keeps the present state from now on and refuses registrations: a server that stops closes its connections, and
     * must not take their instances away for that.
     */
    public void freeze() {
        registry.freeze();
    }

    /** Limits the instances of one connection. */
    public void limitInstances(Limit perClient) {
        registrations.limitInstances(perClient);
    }

    /**
     * Replaces the publisher's instances of the service; an empty list leaves a publisher without instances.
     *
     * @throws CairnException {@code INVALID_PARAMETER} if the service has persistent instances; {@code UNAVAILABLE} if
     *     the publisher's connection is closed or the server is stopping
     */
    public void register(Publisher publisher, ServiceKey service, List<Instance> instances) {
        registrations.register(publisher, service, instances);
    }

    /** Removes the publisher's instances of the service; does nothing if there are none. */
    public void deregister(Publisher publisher, ServiceKey service) {
        registrations.deregister(publisher, service);
    }

    /**
     * Does not hand out any longer what is known of an instance from before a restart: its client is back only to take it
     * away. Which cluster it is in does not matter, as it does not where anything else is taken back.
     *
     * @throws CairnException {@code UNAVAILABLE} when the server is stopping
     */
    public void forgetRecovered(ServiceKey service, InstanceKey instance) {
        recovery.forgetRecovered(service, instance);
    }

    /**
     * Registers an instance of a client that has no connection and beats instead.
     *
     * @throws CairnException as {@link #register}
     */
    public void registerOverHttp(ServiceKey service, Instance instance) {
        leases.register(service, instance);
    }

    /** As {@link #deregisterOverHttp(ServiceKey, InstanceKey, LossCause)}, asked for by its client. */
    public void deregisterOverHttp(ServiceKey service, InstanceKey instance) {
        deregisterOverHttp(service, instance, LossCause.DEREGISTERED);
    }

    /** Takes back an instance that was registered without a connection; does nothing where there is none. */
    public void deregisterOverHttp(ServiceKey service, InstanceKey instance, LossCause cause) {
        leases.deregister(service, instance, cause);
        recovery.forgetRecovered(service, instance);
    }

    /**
     * Notes that an instance is alive.
     *
     * @param described the instance as the beat describes it, by which an unknown one is registered; null where it does
     *     not
     */
    public BeatResult beat(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        return leases.beat(service, instance, described);
    }

    /** Sets the health of an instance of this node by hand; does nothing where there is no such instance. */
    public void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy) {
        health.setHealthy(service, instance, healthy, UnhealthyCause.OPERATOR);
    }

    /** Starts the window after which recovered instances go whose publishers are not back. */
    public void startRecoveryWindow() {
        recovery.startRecoveryWindow();
    }

    /** Calls the listener for every later change of a service. */
    public void follow(ServiceListener listener) {
        registry.follow(listener);
    }

    public Switches switches() {
        return switches;
    }

    /** Replaces the labels of addresses; subscribers of services that select by labels are notified. */
    public void relabel(AddressLabels now) {
        registry.relabel(now);
        relabelled.forEach(Runnable::run);
    }

    /** Runs this after addresses have got other labels. */
    public void onRelabel(Runnable listener) {
        relabelled.add(listener);
    }

    /** The labels of an address; empty when it has none. */
    public Map<String, String> labelsOf(String address) {
        return registry.labels().get().of(address);
    }

    /** The characters that all keys and values of an instance's metadata may have together. */
    public int maxMetadata() {
        return registry.settings().maxMetadata();
    }

    /** The service as it is now; empty when there is none. */
    public ServiceSnapshot snapshot(ServiceKey service) {
        return reads.snapshot(service);
    }

    /**
     * The current state of the service, for consumers that query it repeatedly. Its time is younger than the time for
     * which clients cache a list: the SDK for Go drops an answer that is not later than its list, and queries again a
     * second later instead of after the cache time. In a group it is the current time, because the client may have got
     * its list from another node.
     */
    public ServiceSnapshot listed(ServiceKey service) {
        return reads.listed(service);
    }

    /** The stored settings of the service; null when it has none. Costs nothing for its instances. */
    public @Nullable ServiceSettings storedSettings(ServiceKey service) {
        return reads.storedSettings(service);
    }

    /** The service as it is now, or null when there is none. */
    public @Nullable ServiceSnapshot find(ServiceKey service) {
        return reads.find(service);
    }

    /**
     * The view that consumers get, without the choice by their labels ({@link ServiceView#seenFrom}); without hosts when there is no such service.
     *
     * @param clusters names separated by commas; null or empty for all
     */
    public ServiceView view(ServiceKey service, @Nullable String clusters, boolean healthyOnly) {
        return reads.view(service, clusters, healthyOnly);
    }

    /** The view for a client that ends its subscription: without instances. */
    public ServiceView nothingOf(ServiceKey service, @Nullable String clusters) {
        return reads.nothingOf(service, clusters);
    }

    /** Whether the service has instances at the moment. */
    public boolean hasInstances(ServiceKey service) {
        return reads.hasInstances(service);
    }

    /**
     * The number of instances of the service and their health; cheaper than a {@link #snapshot} when many services are
     * read.
     */
    public ServiceTally tally(ServiceKey service) {
        return reads.tally(service);
    }

    /** The names of the services of a group, in order; a view that changes with them. */
    public Set<String> serviceNames(Namespace namespace, String group) {
        return reads.serviceNames(namespace, group);
    }

    /** As {@link #serviceNames(Namespace, String)}, those that may be seen. */
    public Collection<String> serviceNames(Namespace namespace, String group, ReadScope visible) {
        return reads.serviceNames(namespace, group, visible);
    }

    /** The namespaces that have or had services. */
    public Set<Namespace> namespaces() {
        return reads.namespaces();
    }

    /** The instances of a service as consumers get them, for a single read: no view is created and cached. */
    public List<Instance> instances(ServiceKey service) {
        return reads.instances(service);
    }

    /** All that publish instances at this node, or did so on a connection that is still open. */
    public Collection<Publisher> publishers() {
        return reads.publishers();
    }

    /** Every service of a namespace, ordered by group and name. */
    public void forEachService(Namespace namespace, Consumer<ServiceSnapshot> consumer) {
        reads.forEachService(namespace, consumer);
    }

    /** The services of a namespace, ordered by group and name; does not read their instances. */
    public void forEachServiceKey(Namespace namespace, Consumer<ServiceKey> consumer) {
        reads.forEachServiceKey(namespace, consumer);
    }

    public @Nullable Publisher publisher(String id) {
        return registry.publisher(id);
    }

    /** The instances that the publisher has published, by service. */
    public Map<ServiceKey, List<Instance>> publishedBy(Publisher publisher) {
        return reads.publishedBy(publisher);
    }

    /** The publishers of the service, each with its instances. */
    public Map<Publisher, List<Instance>> publishersOf(ServiceKey service) {
        return reads.publishersOf(service);
    }

    /** How many services there are. */
    public int serviceCount() {
        return reads.serviceCount();
    }

    /** How many instances there are, in all services. */
    public long instanceCount() {
        return reads.instanceCount();
    }

    /** Instances of the connection that has registered most. */
    public long mostInstancesOfOneClient() {
        return reads.mostInstancesOfOneClient();
    }

    /** How many beats have come in. */
    public long beatCount() {
        return leases.beatCount();
    }

    /** How often an instance became unhealthy for that cause. */
    public long unhealthyCount(UnhealthyCause cause) {
        return health.unhealthyCount(cause);
    }

    /** The losses of instances that are no longer registered. */
    public InstanceLosses losses() {
        return registry.losses();
    }

    /** Instances that were known before the restart, did not come back in time, and are not registered now either. */
    public InstanceLosses.Extent notBack() {
        return reads.notBack();
    }

    Registry registry() {
        return registry;
    }

    HttpLeases leases() {
        return leases;
    }

    Recovery recovery() {
        return recovery;
    }

    HealthChanges healthChanges() {
        return health;
    }

    StoredChanges stored() {
        return stored;
    }

    RegistryView reads() {
        return reads;
    }
}

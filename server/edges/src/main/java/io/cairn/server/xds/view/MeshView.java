package io.cairn.server.xds.view;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.resource.ViewResources;
import io.cairn.server.xds.resource.XdsType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resources of one kind of node, shared by its streams. The mesh thread writes the tables and publishes them as one immutable
 * {@link ViewState} for each revision; streams read it on their event loops.
 *
 * <p>A table has the requested names, and all listed names of a type with a wildcard subscription.
 */
public final class MeshView {

    /** How long a cluster stays after the last route named it. */
    public static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** The time before a failed name is tried again. */
    public static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger log = LoggerFactory.getLogger(MeshView.class);

    private final ViewKey key;
    private final ViewResources resources;
    private final Executor mesh;
    private final MeshPace pace;
    private final ClusterLimit clusterLimit;
    private final DiscoveryMessages messages;
    private final Map<Subscription.Key, Subscription> subscriptions = new ConcurrentHashMap<>();
    private volatile ViewState state;
    private final AtomicInteger streams = new AtomicInteger();
    private volatile long unusedSinceNanos;

    // From here on for the mesh thread only.
    private final Map<XdsType, NameDemand> demands = new EnumMap<>(XdsType.class);
    private final Map<XdsType, Set<String>> dirty = new EnumMap<>(XdsType.class);
    /** Names requested or released since the last {@link #takeDemands}. */
    private final Map<XdsType, Set<String>> moved = new EnumMap<>(XdsType.class);

    private final List<Subscription> starting = new ArrayList<>();
    /** Failed names, tried again at {@link #retryAtNanos}. */
    private final Map<XdsType, Set<String>> failed = new EnumMap<>(XdsType.class);

    private long retryAtNanos;
    /** Whether the limit was applied to the present order. */
    private boolean clustersLimited;

    private final ChangeLog[] logs = new ChangeLog[XdsType.COUNT];
    private final long[] completeAfter = new long[XdsType.COUNT];
    private final Map<ServiceKey, Set<String>> namesOfService = new HashMap<>();
    private final Map<String, Long> lastRouted = new HashMap<>();
    private final Map<String, Long> leaving = new HashMap<>();

    /**
     * @param mesh runs tasks in order on the mesh thread
     * @param clusterLimit of wildcard streams
     */
    public MeshView(
            ViewKey key,
            ViewResources resources,
            Executor mesh,
            MeshPace pace,
            ClusterLimit clusterLimit,
            DiscoveryMessages messages) {
        this.messages = messages;
        this.key = key;
        this.resources = resources;
        this.mesh = mesh;
        this.pace = pace;
        this.clusterLimit = clusterLimit;
        TypeTable[] tables = new TypeTable[XdsType.COUNT];
        Arrays.fill(tables, TypeTable.EMPTY);
        for (XdsType type : XdsType.values()) {
            demands.put(type, new NameDemand());
            dirty.put(type, new LinkedHashSet<>());
            moved.put(type, new LinkedHashSet<>());
            failed.put(type, new LinkedHashSet<>());
            logs[type.index()] = new ChangeLog();
        }
        this.state = new ViewState(messages, 0, tables, 0, 0, List.of());
    }

    public ViewKey key() {
        return key;
    }

    public ViewState state() {
        return state;
    }

    /** Subscribes a stream. The tables have its names once the subscription {@linkplain Subscription#isReady is ready}. */
    public Subscription subscribe(Subscription.Key wanted, Subscriber stream) {
        Subscription subscription = subscriptions.compute(wanted, (same, present) -> {
            Subscription shared = present == null ? new Subscription(same) : present;
            shared.add(stream);
            return shared;
        });
        if (!subscription.isReady()) {
            mesh.execute(() -> demand(subscription));
        }
        return subscription;
    }

    public void unsubscribe(Subscription subscription, Subscriber stream) {
        if (subscription.remove(stream)) {
            mesh.execute(() -> release(subscription));
        }
    }

    public Collection<Subscription> subscriptions() {
        return subscriptions.values();
    }

    public void entered() {
        streams.incrementAndGet();
    }

    public void left(long nowNanos) {
        unusedSinceNanos = nowNanos;
        streams.decrementAndGet();
    }

    boolean isUnused() {
        return streams.get() == 0;
    }

    public int streams() {
        return streams.get();
    }

    boolean isIdle(long nowNanos, long idleNanos) {
        return streams.get() == 0 && nowNanos - unusedSinceNanos >= idleNanos;
    }

    /** Counts the subscription's names; {@link #takeDemands} finds them. */
    private void demand(Subscription subscription) {
        if (subscription.isReady()
                || subscription.isDemanded()
                || subscriptions.get(subscription.key()) != subscription) {
            return;
        }
        XdsType type = subscription.type();
        NameDemand demand = demandOf(type);
        try {
            if (subscription.isWildcard() && !demand.isForAll()) {
                movedOf(type).addAll(resources.listed(type));
                clustersLimited = false;
            }
            subscription.names().forEach(this::note);
        } catch (RuntimeException | Error e) {
            log.error("The resources of type {} cannot be listed; the streams that ask for them end", type, e);
            endAll(subscription, GrpcStatus.INTERNAL, "the resources cannot be listed; the server's log has why");
            return;
        }
        subscription.demanded(true);
        movedOf(type).addAll(demand.add(subscription));
        starting.add(subscription);
    }

    private static void endAll(Subscription subscription, GrpcStatus status, String why) {
        List<Subscriber> streams = new ArrayList<>();
        subscription.copyTo(streams);
        for (Subscriber stream : streams) {
            stream.execute(() -> stream.end(status, why));
        }
    }

    /** Finds all newly requested names in one revision, and notifies their streams. */
    public void takeDemands(long nowNanos) {
        if (starting.isEmpty() && isEmpty(moved)) {
            return;
        }
        Batch batch = new Batch(nowNanos);
        moved.forEach((type, names) -> names.forEach(name -> {
            if (!batch.drop(type, name)) {
                batch.refresh(type, name);
            }
        }));
        moved.values().forEach(Set::clear);
        List<Subscription> started = List.copyOf(starting);
        starting.clear();
        batch.publish();
        started.forEach(Subscription::ready);
        wake(started);
    }

    private static boolean isEmpty(Map<XdsType, Set<String>> names) {
        for (Set<String> each : names.values()) {
            if (!each.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private Set<String> movedOf(XdsType type) {
        return Objects.requireNonNull(moved.get(type));
    }

    private NameDemand demandOf(XdsType type) {
        return Objects.requireNonNull(demands.get(type));
    }

    private Set<String> dirtyOf(XdsType type) {
        return Objects.requireNonNull(dirty.get(type));
    }

    /** Notes the service of a name, so that both are refreshed together. */
    private void note(String name) {
        ServiceKey service = resources.serviceOf(name);
        if (service != null && !name.equals(resources.nameOf(service))) {
            namesOfService.computeIfAbsent(service, none -> new HashSet<>(2)).add(name);
        }
    }

    private void release(Subscription subscription) {
        Subscription kept = subscriptions.computeIfPresent(
                subscription.key(), (same, present) -> present == subscription && present.isEmpty() ? null : present);
        if (kept == subscription || !subscription.isDemanded()) {
            return;
        }
        subscription.demanded(false);
        XdsType type = subscription.type();
        NameDemand demand = demandOf(type);
        for (String name : demand.remove(subscription)) {
            movedOf(type).add(name);
            forget(name);
        }
        if (subscription.isWildcard() && !demand.isForAll()) {
            movedOf(type).addAll(state.table(type).entries().keySet());
        }
    }

    private void forget(String name) {
        if (demands.values().stream().anyMatch(demand -> demand.has(name))) {
            return;
        }
        ServiceKey service = resources.serviceOf(name);
        Set<String> names = service == null ? null : namesOfService.get(service);
        if (names != null && names.remove(name) && names.isEmpty()) {
            namesOfService.remove(service);
        }
    }

    public void changed(ServiceKey service) {
        String own = resources.nameOf(service);
        if (own != null) {
            dirty.values().forEach(names -> names.add(own));
        }
        Set<String> others = namesOfService.get(service);
        if (others != null) {
            dirty.values().forEach(names -> names.addAll(others));
        }
    }

    /** The streams that are subscribed to the endpoints of the service, by any of its names. */
    void copyStreamsWithEndpoints(ServiceKey service, List<Subscriber> all) {
        Set<String> names = namesOf(service);
        for (Subscription each : subscriptions.values()) {
            if (each.type() == XdsType.EDS && !Collections.disjoint(each.names(), names)) {
                each.copyTo(all);
            }
        }
    }

    private Set<String> namesOf(ServiceKey service) {
        Set<String> names = new HashSet<>(namesOfService.getOrDefault(service, Set.of()));
        String own = resources.nameOf(service);
        if (own != null) {
            names.add(own);
        }
        return names;
    }

    /**
     * Whether a client with this subscription lacks the present endpoints of the service.
     *
     * @param acknowledged the client's revision of endpoints
     */
    public boolean isBehind(ServiceKey service, Subscription subscription, long acknowledged) {
        for (String name : namesOf(service)) {
            TableEntry entry = state.table(XdsType.EDS).get(name);
            boolean isPublished = !dirtyOf(XdsType.EDS).contains(name)
                    && !Objects.requireNonNull(failed.get(XdsType.EDS)).contains(name);
            if (entry != null
                    && subscription.covers(name, entry)
                    && (!isPublished || acknowledged < entry.revision())) {
                return true;
            }
        }
        return false;
    }

    public void changed(XdsType type, Collection<String> names) {
        dirtyOf(type).addAll(names);
    }

    public void storedChanged(long nowNanos) {
        ViewResources.StoredChange change = resources.takeStored();
        clustersLimited = false;
        change.unrouted().forEach(cluster -> routedUntil(cluster, nowNanos));
        change.names().forEach(this::changed);
    }

    /** Notes that routes no longer name this cluster. */
    public void routedUntil(String cluster, long nowNanos) {
        lastRouted.values().removeIf(routed -> nowNanos - routed > LEAVING_NANOS);
        lastRouted.put(cluster, nowNanos);
    }

    boolean isDirty() {
        return !isEmpty(dirty);
    }

    /** The time until {@link #update} is due, by the pace or a leaving cluster; {@code Long.MAX_VALUE} for never. */
    public long dueInNanos(long nowNanos) {
        long coolDown = pace.coolDownNanos(nowNanos);
        long due = isDirty() ? coolDown : Long.MAX_VALUE;
        for (long deadline : leaving.values()) {
            due = Math.min(due, Math.max(coolDown, deadline - nowNanos));
        }
        return isEmpty(failed) ? due : Math.min(due, Math.max(coolDown, retryAtNanos - nowNanos));
    }

    /** Refreshes noted names, and publishes a revision after a change. */
    public void update(long nowNanos) {
        for (Map.Entry<String, Long> each : leaving.entrySet()) {
            if (each.getValue() - nowNanos <= 0) {
                dirtyOf(XdsType.CDS).add(each.getKey());
            }
        }
        if (pace.coolDownNanos(nowNanos) > 0) {
            return;
        }
        if (!isEmpty(failed) && retryAtNanos - nowNanos <= 0) {
            failed.forEach((type, names) -> dirtyOf(type).addAll(names));
            failed.values().forEach(Set::clear);
        }
        Batch batch = new Batch(nowNanos);
        for (Map.Entry<XdsType, Set<String>> each : dirty.entrySet()) {
            each.getValue().forEach(name -> batch.refresh(each.getKey(), name));
            each.getValue().clear();
        }
        batch.publish();
    }

    private final class Batch {

        private final Map<XdsType, Map<String, TableEntry>> changed = new EnumMap<>(XdsType.class);
        private final List<Put> puts = new ArrayList<>();
        private final Map<XdsType, Set<String>> concerned = new EnumMap<>(XdsType.class);
        private final long revision = state.revision() + 1;
        private final Set<Subscription> woken = new LinkedHashSet<>();
        private long bytes;
        private final long nowNanos;

        Batch(long nowNanos) {
            this.nowNanos = nowNanos;
        }

        /** Updates the name's resource. A failure keeps the old resource for a while, and affects no other name. */
        void refresh(XdsType type, String name) {
            try {
                lookUp(type, name);
            } catch (RuntimeException | Error e) {
                log.error(
                        "The resource '{}' of type {} cannot be made; proxies keep what they have of it, and it is tried again in {} s",
                        name,
                        type,
                        TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS),
                        e);
                Objects.requireNonNull(failed.get(type)).add(name);
                retryAtNanos = nowNanos + RETRY_NANOS;
            }
        }

        private void lookUp(XdsType type, String name) {
            NameDemand demand = demandOf(type);
            boolean demanded = demand.has(name);
            TableEntry before = state.table(type).get(name);
            if (before == null && !demanded && !demand.isForAll()) {
                noLongerLeaving(type, name);
                return;
            }
            ViewResources.Found now = resources.find(type, name);
            if (now != null && !demanded && (!now.listed() || !demand.isForAll())) {
                now = null;
            }
            if (type == XdsType.CDS && now == null && before != null && staysForRoutes(name)) {
                return;
            }
            noLongerLeaving(type, name);
            if (now == null ? before != null : before == null || !now.equals(before.found())) {
                put(type, name, before, now);
            }
        }

        private void put(XdsType type, String name, @Nullable TableEntry before, ViewResources.@Nullable Found now) {
            entries(type).remove(name);
            if (now != null) {
                entries(type)
                        .put(
                                name,
                                before == null
                                        ? new TableEntry(now, revision, revision)
                                        : new TableEntry(now, before.created(), revision, before.beyondSince()));
                bytes += now.resource().any().length;
            }
            puts.add(new Put(type, name, before));
        }

        /** Applies the limit. A cluster that moves beyond it stays with its streams. */
        private void limitClusters() {
            if (!demandOf(XdsType.CDS).isForAll()) {
                return;
            }
            Map<String, TableEntry> present = changed.get(XdsType.CDS);
            if (present == null) {
                if (clustersLimited) {
                    return;
                }
                present = state.table(XdsType.CDS).entries();
            }
            clustersLimited = true;
            clusterLimit.moves(present, resources::isRoutedTo).forEach((name, isBeyond) -> {
                TableEntry entry = Objects.requireNonNull(entries(XdsType.CDS).get(name));
                if (isBeyond) {
                    entries(XdsType.CDS).put(name, entry.movedBeyond(revision));
                } else {
                    entries(XdsType.CDS).put(name, entry.movedWithin(revision));
                    puts.add(new Put(XdsType.CDS, name, entry));
                }
            });
        }

        /** Logs the changes once the wildcard clusters are known. */
        private void logPuts() {
            for (Put put : puts) {
                TableEntry now = entries(put.type).get(put.name);
                boolean forAll = put.before != null && put.before.isForAll() || now != null && now.isForAll();
                concerned.computeIfAbsent(put.type, none -> new HashSet<>()).add(put.name);
                logs[put.type.index()].append(put.name, revision, forAll);
            }
        }

        /** Removes an unrequested name, unknown to streams. False when a stream requests it. */
        boolean drop(XdsType type, String name) {
            TableEntry before = state.table(type).get(name);
            NameDemand demand = demandOf(type);
            boolean listed = before != null && before.found().listed() && demand.isForAll();
            if (before == null || listed || demand.has(name)) {
                return false;
            }
            entries(type).remove(name);
            noLongerLeaving(type, name);
            return true;
        }

        /** Ends the wait of a leaving cluster that returned or has gone. */
        private void noLongerLeaving(XdsType type, String name) {
            if (type == XdsType.CDS) {
                leaving.remove(name);
            }
        }

        private Map<String, TableEntry> entries(XdsType type) {
            return changed.computeIfAbsent(
                    type, each -> new HashMap<>(state.table(each).entries()));
        }

        private boolean staysForRoutes(String name) {
            Long deadline = leaving.get(name);
            if (deadline == null) {
                Long routed = resources.isRoutedTo(name) ? Long.valueOf(nowNanos) : lastRouted.get(name);
                if (routed == null) {
                    return false;
                }
                deadline = routed + LEAVING_NANOS;
                leaving.put(name, deadline);
            }
            return deadline - nowNanos > 0;
        }

        /** Publishes a changed revision, and wakes its streams. */
        void publish() {
            limitClusters();
            logPuts();
            if (!changed.isEmpty()) {
                show();
            }
            if (concerned.isEmpty()) {
                return;
            }
            int receivers = 0;
            for (Subscription each : subscriptions.values()) {
                if (concerns(each)) {
                    receivers += each.size();
                    if (each.isReady()) {
                        woken.add(each);
                    }
                }
            }
            pace.published(nowNanos, receivers, bytes);
            wake(woken);
        }

        private boolean concerns(Subscription subscription) {
            Set<String> names = concerned.get(subscription.type());
            if (names == null) {
                return false;
            }
            if (subscription.isWildcard()) {
                return true;
            }
            return !Collections.disjoint(subscription.names(), names);
        }

        private void show() {
            TypeTable[] tables = new TypeTable[XdsType.COUNT];
            for (XdsType type : XdsType.values()) {
                int index = type.index();
                Map<String, TableEntry> entries = changed.get(type);
                if (entries == null) {
                    tables[index] = state.table(type);
                    continue;
                }
                ChangeLog log = logs[index].trimmed();
                if (log != logs[index]) {
                    logs[index] = log;
                    completeAfter[index] = log.oldest();
                }
                tables[index] = new TypeTable(entries, log.part(completeAfter[index]));
            }
            int listed = 0;
            List<TableEntry> beyond = new ArrayList<>(0);
            boolean isForAll = demandOf(XdsType.CDS).isForAll();
            for (TableEntry cluster : tables[XdsType.CDS.index()].entries().values()) {
                if (isForAll && cluster.found().listed()) {
                    listed++;
                    if (cluster.isBeyond()) {
                        beyond.add(cluster);
                    }
                }
            }
            beyond.sort(Comparator.comparing(each -> each.resource().name()));
            state = new ViewState(messages, revision, tables, nowNanos, listed, List.copyOf(beyond));
            if (isForAll) {
                clusterLimit.noted(key, state);
            }
        }
    }

    private record Put(XdsType type, String name, @Nullable TableEntry before) {}

    /** Makes the streams check the present state, with one task for each event loop. */
    private static void wake(Collection<Subscription> subscriptions) {
        List<Subscriber> streams = new ArrayList<>();
        subscriptions.forEach(subscription -> subscription.copyTo(streams));
        IdentityHashMap<Executor, List<Subscriber>> byLoop = new IdentityHashMap<>();
        for (Subscriber stream : streams) {
            byLoop.computeIfAbsent(stream.loop(), loop -> new ArrayList<>()).add(stream);
        }
        byLoop.forEach((loop, those) -> Subscriber.execute(loop, () -> those.forEach(Subscriber::advance)));
    }
}

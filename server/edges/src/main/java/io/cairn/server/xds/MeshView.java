package io.cairn.server.xds;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http2.GrpcStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
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
 * The resources of one kind of node, shared by all streams of that kind. The tables are written on the thread of the mesh and published
 * as one immutable {@link ViewState} for each revision; streams read it on their event loops.
 *
 * <p>A table has the names that streams ask for. The listed names of a type are in it once a stream subscribes to all of the type.
 */
final class MeshView {

    /** A cluster that a route named stays for as long after it was named last. */
    static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** After that a name is looked at again that could not be looked at. */
    static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger log = LoggerFactory.getLogger(MeshView.class);

    private final ViewKey key;
    private final ViewResources resources;
    private final Executor mesh;
    private final MeshPace pace;
    private final int maxNames;
    private final Map<Subscription.Key, Subscription> subscriptions = new ConcurrentHashMap<>();
    private volatile ViewState state;
    private final AtomicInteger streams = new AtomicInteger();
    private volatile long unusedSinceNanos;

    // Used on the thread of the mesh alone, from here on.
    private final Map<XdsType, NameDemand> demands = new EnumMap<>(XdsType.class);
    private final Map<XdsType, Set<String>> dirty = new EnumMap<>(XdsType.class);
    /** Names that subscriptions began or ceased to ask for since the last {@link #takeDemands}. */
    private final Map<XdsType, Set<String>> moved = new EnumMap<>(XdsType.class);
    /** Subscriptions that wait for their names. */
    private final List<Subscription> starting = new ArrayList<>();
    /** Names that could not be looked at; they are looked at again at {@link #retryAtNanos}. */
    private final Map<XdsType, Set<String>> failed = new EnumMap<>(XdsType.class);

    private long retryAtNanos;
    private final ChangeLog[] logs = new ChangeLog[XdsType.COUNT];
    private final long[] completeAfter = new long[XdsType.COUNT];
    private final Map<ServiceKey, Set<String>> namesOfService = new HashMap<>();
    private final Map<String, Long> lastRouted = new HashMap<>();
    private final Map<String, Long> leaving = new HashMap<>();

    /**
     * @param mesh runs tasks on the thread of the mesh, one after the other
     * @param maxNames of one type that all its subscriptions together may have
     */
    MeshView(ViewKey key, ViewResources resources, Executor mesh, MeshPace pace, int maxNames) {
        this.key = key;
        this.resources = resources;
        this.mesh = mesh;
        this.pace = pace;
        this.maxNames = maxNames;
        TypeTable[] tables = new TypeTable[XdsType.COUNT];
        Arrays.fill(tables, TypeTable.EMPTY);
        for (XdsType type : XdsType.values()) {
            demands.put(type, new NameDemand());
            dirty.put(type, new LinkedHashSet<>());
            moved.put(type, new LinkedHashSet<>());
            failed.put(type, new LinkedHashSet<>());
            logs[type.index()] = new ChangeLog();
        }
        this.state = new ViewState(0, tables, 0, 0);
    }

    ViewKey key() {
        return key;
    }

    ViewState state() {
        return state;
    }

    /** Has the stream subscribe. Its names are in the tables once the subscription {@linkplain Subscription#isReady is ready}. */
    Subscription subscribe(Subscription.Key wanted, XdsStream stream) {
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

    void unsubscribe(Subscription subscription, XdsStream stream) {
        if (subscription.remove(stream)) {
            mesh.execute(() -> release(subscription));
        }
    }

    Collection<Subscription> subscriptions() {
        return subscriptions.values();
    }

    void entered() {
        streams.incrementAndGet();
    }

    void left(long nowNanos) {
        unusedSinceNanos = nowNanos;
        streams.decrementAndGet();
    }

    boolean isUnused() {
        return streams.get() == 0;
    }

    /** How many streams use it. */
    int streams() {
        return streams.get();
    }

    boolean isIdle(long nowNanos, long idleNanos) {
        return streams.get() == 0 && nowNanos - unusedSinceNanos >= idleNanos;
    }

    /** Counts what the subscription asks for; {@link #takeDemands} looks it up. */
    private void demand(Subscription subscription) {
        if (subscription.isReady()
                || subscription.isDemanded()
                || subscriptions.get(subscription.key()) != subscription) {
            return;
        }
        XdsType type = subscription.type();
        NameDemand demand = demandOf(type);
        if (!demand.hasRoomFor(subscription, maxNames)) {
            endAll(
                    subscription,
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "too many names of resources of one type in the subscriptions of all clients of this kind (limit: "
                            + maxNames + ")");
            return;
        }
        try {
            if (subscription.isWildcard() && !demand.isForAll()) {
                movedOf(type).addAll(resources.listed(type));
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
        List<XdsStream> streams = new ArrayList<>();
        subscription.copyTo(streams);
        for (XdsStream stream : streams) {
            XdsStream.execute(stream.loop(), () -> stream.end(status, why));
        }
    }

    /** Looks up what subscriptions have begun to ask for, all of it in one revision, and tells their streams. */
    void takeDemands(long nowNanos) {
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

    /** Notes which service the name is about, so that it is refreshed with it. */
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

    /** Notes that the service has changed; {@link #update} looks at it. */
    void changed(ServiceKey service) {
        String own = resources.nameOf(service);
        if (own != null) {
            dirty.values().forEach(names -> names.add(own));
        }
        Set<String> others = namesOfService.get(service);
        if (others != null) {
            dirty.values().forEach(names -> names.addAll(others));
        }
    }

    /** Notes that these names may have changed; {@link #update} looks at them. */
    void changed(XdsType type, Collection<String> names) {
        dirtyOf(type).addAll(names);
    }

    /** Notes that stored resources have changed; {@link #update} looks at them. */
    void storedChanged(long nowNanos) {
        ViewResources.StoredChange change = resources.takeStored();
        change.unrouted().forEach(cluster -> routedUntil(cluster, nowNanos));
        change.names().forEach(this::changed);
    }

    /** Notes that routes named this cluster until now, and do not any more. */
    void routedUntil(String cluster, long nowNanos) {
        lastRouted.values().removeIf(routed -> nowNanos - routed > LEAVING_NANOS);
        lastRouted.put(cluster, nowNanos);
    }

    boolean isDirty() {
        return !isEmpty(dirty);
    }

    /** When {@link #update} is to be called: the time of the pace, or that of a cluster that leaves; {@code Long.MAX_VALUE} for never. */
    long dueInNanos(long nowNanos) {
        long rest = pace.restNanos(nowNanos);
        long due = isDirty() ? rest : Long.MAX_VALUE;
        for (long deadline : leaving.values()) {
            due = Math.min(due, Math.max(rest, deadline - nowNanos));
        }
        return isEmpty(failed) ? due : Math.min(due, Math.max(rest, retryAtNanos - nowNanos));
    }

    /** Looks at all that may have changed, and publishes a revision if something has. */
    void update(long nowNanos) {
        for (Map.Entry<String, Long> each : leaving.entrySet()) {
            if (each.getValue() - nowNanos <= 0) {
                dirtyOf(XdsType.CDS).add(each.getKey());
            }
        }
        if (pace.restNanos(nowNanos) > 0) {
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

    /** Changes that become one revision. */
    private final class Batch {

        private final Map<XdsType, Map<String, TableEntry>> changed = new EnumMap<>(XdsType.class);
        private final Map<XdsType, Set<String>> concerned = new EnumMap<>(XdsType.class);
        private final long revision = state.revision() + 1;
        private final Set<Subscription> woken = new LinkedHashSet<>();
        private long bytes;
        private final long nowNanos;

        Batch(long nowNanos) {
            this.nowNanos = nowNanos;
        }

        /** Looks up what is there under the name now. When that fails, it stays as it is for a while, and all others go on. */
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
            boolean listed = now != null && now.listed()
                    || before != null && before.found().listed();
            entries(type).remove(name);
            if (now != null) {
                entries(type).put(name, new TableEntry(now, before == null ? revision : before.created(), revision));
                bytes += now.resource().any().length;
            }
            concerned.computeIfAbsent(type, none -> new HashSet<>()).add(name);
            logs[type.index()].append(name, revision, listed);
        }

        /** Takes a name out that no stream asks for any more; none has to know. False when one still does. */
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

        /** Ends the wait of a cluster that was to leave: it is there again, or has gone. */
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

        /** Publishes the revision, if there is one, and wakes the streams that it concerns. */
        void publish() {
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
            for (TableEntry cluster : tables[XdsType.CDS.index()].entries().values()) {
                listed += cluster.found().listed() ? 1 : 0;
            }
            state = new ViewState(revision, tables, nowNanos, listed);
        }
    }

    /** Has the streams look at the present state, those of one event loop in one task. */
    private static void wake(Collection<Subscription> subscriptions) {
        List<XdsStream> streams = new ArrayList<>();
        subscriptions.forEach(subscription -> subscription.copyTo(streams));
        IdentityHashMap<Executor, List<XdsStream>> byLoop = new IdentityHashMap<>();
        for (XdsStream stream : streams) {
            byLoop.computeIfAbsent(stream.loop(), loop -> new ArrayList<>()).add(stream);
        }
        byLoop.forEach((loop, those) -> XdsStream.execute(loop, () -> those.forEach(XdsStream::advance)));
    }
}

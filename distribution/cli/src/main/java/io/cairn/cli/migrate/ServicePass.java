package io.cairn.cli.migrate;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Decision.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows the instances of each side on the other side. For one thread. */
public final class ServicePass {

    private static final int FAILURES = 5;
    private static final int FEW = 3;
    private static final Duration FAILING_TIME = Duration.ofSeconds(2);

    private final Map<Side, ServiceStore> stores = new EnumMap<>(Side.class);
    private final Map<Side, String> addresses = new EnumMap<>(Side.class);
    private final Map<Side, RemovalGuard> guards = new EnumMap<>(Side.class);
    private final Map<Side, Map<ServiceKey, Map<InstanceKey, Instance>>> copies = new EnumMap<>(Side.class);

    /** Copies that a server has not taken, all or in part; held as shown ones are, and sent again. */
    private final Map<Side, Map<ServiceKey, Map<InstanceKey, Instance>>> tried = new EnumMap<>(Side.class);

    /** Failures in a row while the server lists its services. */
    private final Map<ServiceKey, Integer> failures = new HashMap<>();

    private final Map<Side, Long> reconnections = new EnumMap<>(Side.class);
    private final Map<ServiceKey, ServiceSettings> carriedSettings = new HashMap<>();
    private final Set<Side> showing;
    private final Follow follow;
    private final Clock clock;
    private final Journal journal;
    private final Report report;
    private final Consumer<ServiceKey> changed;
    private final Set<Side> adopted = EnumSet.noneOf(Side.class);
    /** Settings that the target has refused within {@code deep}. */
    private final Map<ServiceKey, RefusedSettings> refusedSettings = new HashMap<>();

    private int passedOver;
    private int succeeded;
    private Duration failing = Duration.ZERO;
    /** Thrown at the end of the pass. */
    private @Nullable SideException failure;

    private volatile int shown;

    private record RefusedSettings(ServiceSettings settings, Instant since, SideException reason) {}

    public ServicePass(
            Map<Side, ServiceStore> stores,
            Map<Side, String> addresses,
            boolean bothWays,
            Follow follow,
            Clock clock,
            Journal journal,
            Report report,
            Consumer<ServiceKey> changed) {
        this.stores.putAll(stores);
        this.addresses.putAll(addresses);
        this.follow = follow;
        this.clock = clock;
        this.journal = journal;
        this.report = report;
        this.changed = changed;
        showing = Side.withCopies(bothWays);
        for (Side side : Side.values()) {
            guards.put(side, new RemovalGuard(side, follow, clock));
            copies.put(side, new HashMap<>());
            tried.put(side, new HashMap<>());
        }
        PersistentCopy.all(journal).forEach(copy -> copiesOf(copy.at(), copy.service())
                .put(copy.instance().key(), copy.instance()));
    }

    private ServiceStore store(Side side) {
        return Objects.requireNonNull(stores.get(side));
    }

    private RemovalGuard guard(Side side) {
        return Objects.requireNonNull(guards.get(side));
    }

    private Map<InstanceKey, Instance> copiesOf(Side side, ServiceKey key) {
        return Objects.requireNonNull(copies.get(side)).computeIfAbsent(key, service -> new LinkedHashMap<>());
    }

    private Map<ServiceKey, Map<InstanceKey, Instance>> tried(Side side) {
        return Objects.requireNonNull(tried.get(side));
    }

    /** Treats ephemeral copies of an earlier process as its own. */
    private void adopt(Side side, Collection<Namespace> namespaces) {
        if (adopted.contains(side) || !showing.contains(side)) {
            return;
        }
        String from = Objects.requireNonNull(addresses.get(side.other()));
        for (Namespace namespace : namespaces) {
            // Before the first pass all known copies are persistent ones of the journal.
            Map<ServiceKey, List<Instance>> left =
                    answered(side, () -> store(side).keepLeft(namespace, from, (key, copy) -> copiesOf(side, key)
                            .containsKey(copy)));
            left.forEach((key, copies) -> {
                for (Instance copy : copies) {
                    tried(side)
                            .computeIfAbsent(key, service -> new LinkedHashMap<>())
                            .put(copy.key(), copy);
                }
                guard(side.other()).takesOver();
            });
        }
        adopted.add(side);
    }

    void startsAfterOutage() {
        guards.values().forEach(RemovalGuard::failed);
    }

    public int copies() {
        return shown;
    }

    private void count() {
        int sum = 0;
        for (Map<ServiceKey, Map<InstanceKey, Instance>> services : copies.values()) {
            sum += services.values().stream().mapToInt(Map::size).sum();
        }
        shown = sum;
    }

    public void all(Collection<Namespace> namespaces) {
        adopt(Side.TARGET, namespaces);
        adopt(Side.SOURCE, namespaces);
        Map<ServiceKey, ServiceState> source = list(Side.SOURCE, namespaces);
        Map<ServiceKey, ServiceState> target = list(Side.TARGET, namespaces);
        Set<ServiceKey> keys = new LinkedHashSet<>(source.keySet());
        keys.addAll(target.keySet());
        copies.values().forEach(services -> keys.addAll(services.keySet()));
        tried.values().forEach(services -> keys.addAll(services.keySet()));
        keys.addAll(failures.keySet());
        begin();
        // Failed services come last, so that no other service waits for them.
        List<ServiceKey> ordered = new ArrayList<>(keys);
        ordered.sort(Comparator.comparing(failures::containsKey));
        for (ServiceKey key : ordered) {
            one(
                    key,
                    source.getOrDefault(key, ServiceState.absent(key)),
                    target.getOrDefault(key, ServiceState.absent(key)));
            store(Side.SOURCE).watch(key, changed);
            store(Side.TARGET).watch(key, changed);
        }
        count();
        journal.force();
        end();
    }

    private void begin() {
        passedOver = 0;
        succeeded = 0;
        failing = Duration.ZERO;
        failure = null;
    }

    private void end() {
        if (failure != null) {
            throw failure;
        }
    }

    private Map<ServiceKey, ServiceState> list(Side side, Collection<Namespace> namespaces) {
        Map<ServiceKey, ServiceState> found = new LinkedHashMap<>();
        answered(side, () -> {
            for (Namespace namespace : namespaces) {
                store(side).list(namespace, state -> {
                    if (!Origin.isOfBridges(state.key())) {
                        found.put(state.key(), state);
                    }
                });
            }
            return found;
        });
        int natives = 0;
        for (ServiceState state : found.values()) {
            natives += (int) state.instances().stream()
                    .filter(instance -> !Origin.isCopy(instance))
                    .count();
        }
        // After the response, because a restarted server answers only after its connection has ended.
        boolean lost = store(side).hasLostConnection();
        long connections = store(side).reconnections();
        Long before = reconnections.put(side, connections);
        if (lost || before != null && connections > before) {
            guard(side).reconnected(natives);
        }
        guard(side).answered(natives);
        return found;
    }

    private void noteReconnections(Side side) {
        boolean lost = store(side).hasLostConnection();
        Long before = reconnections.get(side);
        if (lost || before != null && store(side).reconnections() > before) {
            guard(side).suspect();
        }
    }

    private <T> T answered(Side side, Supplier<T> request) {
        try {
            return request.get();
        } catch (SideException e) {
            guard(side).failed();
            throw e;
        }
    }

    public void some(Collection<ServiceKey> keys) {
        begin();
        for (ServiceKey key : keys) {
            if (Origin.isOfBridges(key)) {
                continue;
            }
            ServiceState source = answered(Side.SOURCE, () -> store(Side.SOURCE).read(key));
            ServiceState target = answered(Side.TARGET, () -> store(Side.TARGET).read(key));
            noteReconnections(Side.SOURCE);
            noteReconnections(Side.TARGET);
            one(key, source, target);
        }
        end();
    }

    private void one(ServiceKey key, ServiceState source, ServiceState target) {
        Map<InstanceKey, Instance> atSource = natives(Side.SOURCE, source);
        Map<InstanceKey, Instance> atTarget = natives(Side.TARGET, target);
        hidden(Side.TARGET, target, atSource, atTarget);
        hidden(Side.SOURCE, source, atTarget, atSource);
        long begin = System.nanoTime();
        try {
            SideException refused = null;
            if (!source.equals(ServiceState.absent(key))) {
                refused = refused(refused, () -> settings(key, source.settings(), target));
            }
            refused = refused(refused, () -> show(Side.TARGET, key, atSource, atTarget));
            if (showing.contains(Side.SOURCE)) {
                refused = refused(refused, () -> show(Side.SOURCE, key, atTarget, atSource));
            }
            if (refused != null) {
                throw refused;
            }
            failures.remove(key);
            succeeded++;
            report.settled("service " + key);
        } catch (SideException e) {
            int inARow = failures.merge(key, 1, Integer::sum);
            failing = failing.plusNanos(System.nanoTime() - begin);
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            if (e.isTemporary() && !isPassedOver(inARow)) {
                failure = failure == null ? e : failure;
                if (inARow >= FAILURES || failing.compareTo(FAILING_TIME) >= 0) {
                    throw failure;
                }
                return;
            }
            report.add(new Decision(Outcome.FAILED, "service " + key, String.valueOf(e.getMessage())));
        }
    }

    private static @Nullable SideException refused(@Nullable SideException before, Runnable step) {
        try {
            step.run();
            return before;
        } catch (SideException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            return before == null ? e : before;
        }
    }

    /** A server that lists its services may still answer each request about a certain service with an error. */
    private boolean isPassedOver(int inARow) {
        return inARow >= FAILURES && (passedOver++ < FEW || succeeded > 0 && failing.compareTo(FAILING_TIME) < 0);
    }

    private Map<InstanceKey, Instance> natives(Side side, ServiceState shown) {
        Set<InstanceKey> own =
                store(side).mayLoseMarks() ? copiesOf(side, shown.key()).keySet() : Set.of();
        Map<InstanceKey, Integer> publishers = Origin.isUncertain(shown, own)
                ? answered(side, () -> store(side).publishers(shown.key()))
                : Map.of();
        return Origin.natives(shown, own, publishers);
    }

    /** Adds the instances that a copy hides, because a server may show the later registration alone. */
    private void hidden(
            Side side, ServiceState shown, Map<InstanceKey, Instance> elsewhere, Map<InstanceKey, Instance> natives) {
        Map<InstanceKey, Instance> own = copiesOf(side, shown.key());
        if (natives.keySet().containsAll(own.keySet()) || elsewhere.keySet().containsAll(own.keySet())) {
            return;
        }
        Map<InstanceKey, Integer> publishers = answered(side, () -> store(side).publishers(shown.key()));
        own.forEach((key, copy) -> {
            if (publishers.getOrDefault(key, 0) > 1) {
                natives.putIfAbsent(key, Origin.original(copy));
            }
        });
    }

    private void settings(ServiceKey key, ServiceSettings settings, ServiceState target) {
        ServiceSettings before = carriedSettings.get(key);
        boolean isNews = before == null ? !settings.equals(ServiceSettings.NONE) : !before.equals(settings);
        if (isNews && !settings.equals(target.settings())) {
            boolean exists = !target.equals(ServiceState.absent(key));
            save(key, settings, exists);
            report.add(
                    new Decision(Outcome.UPDATED, "service " + key, "settings at the target, changed at the source"));
        }
        carriedSettings.put(key, settings);
    }

    private void save(ServiceKey key, ServiceSettings settings, boolean exists) {
        RefusedSettings refused = refusedSettings.get(key);
        Instant now = clock.instant();
        if (refused != null
                && refused.settings().equals(settings)
                && now.isBefore(refused.since().plus(follow.deep()))) {
            throw refused.reason();
        }
        refusedSettings.remove(key);
        try {
            store(Side.TARGET).saveSettings(key, settings, exists);
        } catch (SideException e) {
            if (!e.isTemporary()) {
                refusedSettings.put(key, new RefusedSettings(settings, now, e));
            }
            throw e;
        }
    }

    private void show(
            Side at, ServiceKey key, Map<InstanceKey, Instance> natives, Map<InstanceKey, Instance> nativesHere) {
        Map<InstanceKey, Instance> present = copiesOf(at, key);
        Map<InstanceKey, Instance> before = tried(at).get(key);
        Map<InstanceKey, Instance> known = new LinkedHashMap<>(present);
        known.putAll(before == null ? Map.of() : before);
        Optional<String> hold = guard(at.other()).hold(key, natives.size());
        String from = Objects.requireNonNull(addresses.get(at.other()));
        Set<InstanceKey> here = living(at, nativesHere, natives);
        MirrorPlan plan = MirrorPlan.of(key, from, at, natives, known, here, hold);
        List<Decision> first = before == null
                ? List.of()
                : MirrorPlan.of(key, from, at, natives, present, here, hold).decisions();
        Map<InstanceKey, Instance> wanted = plan.wanted();
        List<Decision> kept = List.of();
        if (before != null || !wanted.equals(present)) {
            Set<Instance> earlier = new LinkedHashSet<>(present.values());
            earlier.addAll(known.values());
            known.putAll(wanted);
            // Until the server has taken all of them.
            tried(at).put(key, known);
            List<Instance> ephemeral = ephemeral(wanted);
            if (before != null || !Set.copyOf(ephemeral).equals(Set.copyOf(ephemeral(present)))) {
                store(at).mirror(key, ephemeral);
            }
            kept = persistent(at, key, present, earlier, wanted);
            present.clear();
            present.putAll(wanted);
            tried(at).remove(key);
        }
        Set<Decision> decisions = new LinkedHashSet<>(first);
        decisions.addAll(plan.decisions());
        kept.forEach(decision -> decisions.removeIf(other -> other.subject().equals(decision.subject())));
        decisions.addAll(kept);
        decisions.forEach(report::add);
        wanted.keySet().forEach(instance -> {
            if (natives.containsKey(instance)) {
                report.settled(key + " " + instance);
            }
        });
        if (present.isEmpty()) {
            Objects.requireNonNull(copies.get(at)).remove(key);
        }
    }

    /** Without killed clients, which a Nacos shows as unhealthy for a while, if they live at the other side now. */
    private Set<InstanceKey> living(
            Side at, Map<InstanceKey, Instance> nativesHere, Map<InstanceKey, Instance> elsewhere) {
        Set<InstanceKey> living = new LinkedHashSet<>(nativesHere.keySet());
        if (!store(at).mayLoseMarks()) {
            nativesHere.forEach((key, here) -> {
                Instance other = elsewhere.get(key);
                if (here.ephemeral() && !here.healthy() && other != null && other.healthy()) {
                    living.remove(key);
                }
            });
        }
        return living;
    }

    private static List<Instance> ephemeral(Map<InstanceKey, Instance> instances) {
        return instances.values().stream().filter(Instance::ephemeral).toList();
    }

    private List<Decision> persistent(
            Side at,
            ServiceKey key,
            Map<InstanceKey, Instance> present,
            Collection<Instance> earlier,
            Map<InstanceKey, Instance> wanted) {
        List<Decision> kept = new ArrayList<>();
        for (Instance copy : new ArrayList<>(wanted.values())) {
            if (!copy.ephemeral() && !copy.equals(present.get(copy.key()))) {
                // Written before the request, so that a kill leaves no copy that nobody withdraws.
                journal.putPersistent(new PersistentCopy(at, key, copy).line());
                store(at).registerPersistent(key, copy);
            }
        }
        for (Instance copy : List.copyOf(earlier)) {
            if (!copy.ephemeral() && !copy.equals(wanted.get(copy.key()))) {
                Instance now = wanted.get(copy.key());
                if (now == null || now.ephemeral()) {
                    withdrawPersistent(at, key, copy).ifPresent(kept::add);
                }
                journal.removePersistent(new PersistentCopy(at, key, copy).line());
            }
        }
        return kept;
    }

    /** Leaves a registration of a client in the place of the copy. */
    private Optional<Decision> withdrawPersistent(Side at, ServiceKey key, Instance copy) {
        boolean isTaken = answered(at, () -> store(at).read(key)).instances().stream()
                .anyMatch(shown -> shown.key().equals(copy.key()) && !shown.ephemeral() && !Origin.isCopy(shown));
        if (isTaken) {
            return Optional.of(new Decision(
                    Outcome.KEPT,
                    key + " " + copy.key(),
                    "persistent at the " + at + " without the mark of a copy, so of a client"));
        }
        store(at).deregisterPersistent(key, copy);
        return Optional.empty();
    }

    int ephemeralCopies() {
        return copies.values().stream()
                .flatMap(services -> services.values().stream())
                .mapToInt(instances -> ephemeral(instances).size())
                .sum();
    }

    void keepPersistent() {
        Map<ServiceKey, Map<InstanceKey, Instance>> shown = Objects.requireNonNull(copies.get(Side.TARGET));
        for (ServiceKey key : List.copyOf(shown.keySet())) {
            for (Instance copy : List.copyOf(copiesOf(Side.TARGET, key).values())) {
                if (!copy.ephemeral()) {
                    store(Side.TARGET).registerPersistent(key, Origin.original(copy));
                    copiesOf(Side.TARGET, key).remove(copy.key());
                    journal.removePersistent(new PersistentCopy(Side.TARGET, key, copy).line());
                    report.add(new Decision(
                            Outcome.UPDATED, key + " " + copy.key(), "persistent at the target, no copy any more"));
                }
            }
        }
        journal.force();
    }

    public void withdraw(Collection<Namespace> namespaces) {
        for (Side side : Side.values()) {
            Map<ServiceKey, Map<InstanceKey, Instance>> shown = Objects.requireNonNull(copies.get(side));
            for (ServiceKey key : List.copyOf(shown.keySet())) {
                Map<InstanceKey, Instance> present = copiesOf(side, key);
                if (!ephemeral(present).isEmpty()) {
                    store(side).mirror(key, List.of());
                }
                persistent(side, key, present, List.copyOf(present.values()), Map.of())
                        .forEach(report::add);
                present.keySet()
                        .forEach(instance -> report.add(new Decision(
                                Outcome.DELETED, key + " " + instance, "the copy at the " + side + ", cut over")));
                shown.remove(key);
            }
            for (Namespace namespace : namespaces) {
                store(side).withdrawLeft(namespace, Objects.requireNonNull(addresses.get(side.other())));
            }
        }
        count();
        journal.force();
    }
}

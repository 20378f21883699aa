package io.cairn.server.naming.stored;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.UnhealthyCause;
import io.cairn.server.naming.health.HealthCheck;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.registry.InstanceHealth;
import io.cairn.server.naming.registry.OverrideExpiry;
import io.cairn.server.naming.registry.ServiceEntry;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.node.ClusterDuty;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes by operators and by publishers of persistent instances: stored, applied, then acknowledged. In sequence for a service, so
 * that each sees the former's result. Never blocks.
 */
public final class StoredNaming {

    private static final Logger log = LoggerFactory.getLogger(StoredNaming.class);

    private final RegistryParts naming;
    private final NamingStore store;
    private final PersistentInstances persistent;
    private volatile @Nullable OverrideListener overrides;
    /** Queued changes by service; the first one is running. */
    private final Map<ServiceKey, ArrayDeque<Turn>> turns = new ConcurrentHashMap<>();

    /** Notified of added and removed persistent instances, to check them. Must not block. */
    public interface PersistentInstances {

        default void added(ServiceKey service, InstanceKey instance) {}

        default void removed(ServiceKey service, InstanceKey instance) {}

        /** Whether another node checks the instance, so that its results count. */
        default boolean isCheckedElsewhere(ServiceKey service, InstanceKey instance) {
            return false;
        }

        /** Null for an unchecked instance. */
        default InstanceHealth.@Nullable LastCheck lastCheck(ServiceKey service, InstanceKey instance) {
            return null;
        }
    }

    /** Must not block. */
    interface OverrideListener {

        /** From now on, by whichever node it was changed. */
        void shown(ServiceKey service, InstanceKey instance, InstanceOverride override);

        /** A change by this node has been stored. */
        void changed(
                Caller by, ServiceKey service, InstanceKey instance, InstanceOverride before, InstanceOverride now);
    }

    private record OverrideChange(InstanceOverride before, InstanceOverride now) {}

    public StoredNaming(RegistryParts naming, NamingStore store, PersistentInstances persistent) {
        this(naming, store, persistent, ClusterDuty.ALONE);
    }

    /** @param duty whether this node removes expired overrides for all */
    public StoredNaming(RegistryParts naming, NamingStore store, PersistentInstances persistent, ClusterDuty duty) {
        this.naming = naming;
        this.store = store;
        this.persistent = persistent;
        naming.registry().onExpiredOverrides(new OverrideExpiry.Listener() {
            @Override
            public void expired(
                    ServiceKey service,
                    Map<InstanceKey, InstanceOverride> overrides,
                    @Nullable ServiceSettings settings) {
                if (duty.isMine()) {
                    StoredNaming.this.expired(service, overrides, settings);
                }
            }

            @Override
            public boolean isMine() {
                return duty.isMine();
            }
        });
    }

    /** Before {@link #load}. */
    void followOverrides(OverrideListener listener) {
        overrides = listener;
    }

    /** Fills the registry from the store. Blocks. */
    public void load() {
        store.forEach(this::applyStored);
    }

    /**
     * Makes the registry equal to the store after an unknown commit. Checked health stays, because it is not stored. Call it
     * without concurrent commits. Blocks.
     */
    public void reload() {
        Stored stored = new Stored();
        store.forEach(stored::show);
        naming.stored().forgetUnstored(stored.services, stored.instances, stored.overrides, this::apply);
    }

    /** As {@link #reload()}, of these services. */
    public void reload(Set<ServiceKey> services) {
        Stored stored = new Stored();
        store.forEach(services, stored::show);
        for (ServiceKey service : services) {
            naming.stored().forgetUnstored(service, stored.services, stored.instances, stored.overrides, this::apply);
        }
    }

    /** As {@link #reload()}, of these switches. */
    public void reloadSwitches(Set<String> names) {
        store.forEachSwitch(names, this::applyStored);
    }

    /** Applies stored rows, and records them. */
    private final class Stored {

        private final Map<ServiceKey, Set<InstanceKey>> instances = new HashMap<>();
        private final Map<ServiceKey, Set<InstanceKey>> overrides = new HashMap<>();
        private final Set<ServiceKey> services = new HashSet<>();

        void show(NamingWrite write) {
            if (write instanceof NamingWrite.SaveInstance save) {
                instances
                        .computeIfAbsent(save.service(), service -> new HashSet<>())
                        .add(save.instance().key());
            } else if (write instanceof NamingWrite.SaveOverride save) {
                overrides
                        .computeIfAbsent(save.service(), service -> new HashSet<>())
                        .add(save.instance());
            } else if (write instanceof NamingWrite.SaveService save) {
                services.add(save.service());
            }
            if (!(write instanceof NamingWrite.SaveInstance save)
                    || isHealthSetByHand(save.service(), save.instance().key())
                    || !naming.stored().showsButForHealth(save.service(), save.instance())) {
                applyStored(write);
            }
        }
    }

    /**
     * Adds a service's state from before a restart: ephemeral instances until their clients return, checked health until the next
     * result. Call it after {@link #load}.
     *
     * @throws CairnException as {@link io.cairn.server.naming.registry.Registrations#register}
     */
    public void recover(KnownService known) {
        naming.recovery().recover(known);
        if (!naming.switches().healthChecks().enabled()) {
            return;
        }
        for (InstanceKey instance : known.unhealthy()) {
            if (naming.health().persistent(known.service(), instance) != null
                    && !isHealthSetByHand(known.service(), instance)) {
                naming.health().setHealthy(known.service(), instance, false, UnhealthyCause.CHECK);
            }
        }
    }

    /** Begin and cause of each instance's health. */
    public Function<InstanceKey, InstanceHealth> health(ServiceSnapshot snapshot) {
        return naming.reads().health(snapshot, instance -> persistent.lastCheck(snapshot.service(), instance));
    }

    /** Whether nothing checks the instance, so that its stored health applies. */
    private boolean isHealthSetByHand(ServiceKey service, InstanceKey instance) {
        ServiceEntry entry = naming.registry().find(service);
        ServiceSettings settings = entry == null ? null : entry.storedSettings();
        ClusterSettings cluster = settings == null ? ClusterSettings.DEFAULT : settings.cluster(instance.cluster());
        String checker = cluster.healthChecker();
        if (cluster.checkedPort(instance.port()) == 0) {
            return true;
        }
        try {
            return HealthCheck.fromJson(checker).type() == HealthCheck.Type.NONE;
        } catch (CairnException e) {
            // An unreadable checker checks nothing; the health checks log it.
            return true;
        }
    }

    /** A row that fails is logged and does not stop others. */
    private void applyStored(NamingWrite write) {
        try {
            apply(write);
        } catch (CairnException e) {
            log.warn("A stored entry is left out: {} ({})", e.text(), write);
        }
    }

    private void apply(NamingWrite write) {
        if (write instanceof NamingWrite.SaveService save) {
            naming.stored().applySettings(save.service(), save.settings());
        } else if (write instanceof NamingWrite.RemoveService remove) {
            naming.stored().removeService(remove.service());
        } else if (write instanceof NamingWrite.SaveInstance save) {
            if (isHealthSetByHand(save.service(), save.instance().key())) {
                naming.stored().checkedHere(save.service(), save.instance().key());
            }
            naming.stored().applyPersistent(save.service(), withHealthOfChecks(save.service(), save.instance()));
            persistent.added(save.service(), save.instance().key());
        } else if (write instanceof NamingWrite.RemoveInstance remove) {
            naming.stored().removePersistent(remove.service(), remove.instance());
            persistent.removed(remove.service(), remove.instance());
        } else if (write instanceof NamingWrite.SaveOverride save) {
            naming.stored().applyOverride(save.service(), save.instance(), save.override());
            OverrideListener listener = overrides;
            if (listener != null) {
                listener.shown(save.service(), save.instance(), save.override());
            }
        } else if (write instanceof NamingWrite.SaveSwitch save) {
            naming.switches().restore(save.name(), save.value());
        }
    }

    /** Keeps another node's check result, which would not be sent again over the stored health. */
    private Instance withHealthOfChecks(ServiceKey service, Instance stored) {
        Instance shown = persistent.isCheckedElsewhere(service, stored.key())
                ? naming.health().persistent(service, stored.key())
                : null;
        return shown == null ? stored : stored.withHealthy(shown.healthy());
    }

    /** Fails with {@code INVALID_PARAMETER} for a service with ephemeral instances. */
    public CompletionStage<Void> register(Caller by, ServiceKey service, Instance instance) {
        return inTurn(service, () -> {
            ServiceEntry entry = naming.stored().reserve(service, false);
            return write(by, List.of(new NamingWrite.SaveInstance(service, instance)))
                    .whenComplete((done, failure) -> naming.stored().release(entry));
        });
    }

    /** As {@link #deregister(Caller, ServiceKey, InstanceKey, LossCause)}, by the instance's client. */
    public CompletionStage<Void> deregister(Caller by, ServiceKey service, InstanceKey instance) {
        return deregister(by, service, instance, LossCause.DEREGISTERED);
    }

    /** Succeeds also for an absent instance. */
    public CompletionStage<Void> deregister(Caller by, ServiceKey service, InstanceKey instance, LossCause cause) {
        return inTurn(service, () -> {
            if (naming.reads().snapshot(service).published().stream()
                    .noneMatch(known -> !known.ephemeral()
                            && known.key().ip().equals(instance.ip())
                            && known.key().port() == instance.port())) {
                return done();
            }
            return write(by, List.of(new NamingWrite.RemoveInstance(service, instance)))
                    .thenRun(() -> naming.stored().lost(service, cause, instance));
        });
    }

    /**
     * Sets an instance's health; stores that of a persistent one. No effect on an absent one. Fails with {@code UNAVAILABLE} or
     * {@code BUSY} if it cannot be stored.
     */
    public CompletionStage<Void> setHealthy(Caller by, ServiceKey service, InstanceKey instance, boolean healthy) {
        return inTurn(service, () -> {
            Instance known = naming.health().persistent(service, instance);
            if (known == null || !known.key().equals(instance)) {
                naming.health().setHealthy(service, instance, healthy);
                return done();
            }
            // Stored even if shown already: a check may have found it, and the stored value may differ.
            NamingChange change =
                    new NamingChange.ChangeInstance(service, instance, stored -> stored.withHealthy(healthy));
            return store.change(List.of(change), by, written -> {
                        // Before the registration, which has no cause, so that the operator is the cause. The caller
                        // notifies the checking node, whose results arrive here.
                        if (!persistent.isCheckedElsewhere(service, instance)) {
                            naming.health().setHealthy(service, instance, healthy);
                        }
                        written.forEach(this::apply);
                    })
                    .toCompletableFuture();
        });
    }

    /** Fails with {@code CONFLICT} if it exists. */
    public CompletionStage<Void> createService(Caller by, ServiceKey service, ServiceSettings settings) {
        return inTurn(service, () -> {
            if (naming.reads().find(service) != null) {
                throw NamingException.serviceExists(service);
            }
            return change(by, List.of(new NamingChange.CreateService(service, settings)));
        });
    }

    /** Fails with {@code NOT_FOUND} if absent. */
    public CompletionStage<Void> updateService(Caller by, ServiceKey service, UnaryOperator<ServiceSettings> change) {
        return inTurn(service, () -> {
            ServiceSnapshot shown = existing(service);
            ServiceSettings unstored = naming.reads().isStored(service) ? null : shown.settings();
            return change(by, List.of(new NamingChange.ChangeService(service, unstored, change)));
        });
    }

    /** Fails with {@code NOT_FOUND} if absent, {@code CONFLICT} with instances. */
    public CompletionStage<Void> removeService(Caller by, ServiceKey service) {
        return inTurn(service, () -> {
            if (existing(service).size() > 0) {
                throw NamingException.serviceNotEmpty(service);
            }
            return change(
                    by,
                    List.of(new NamingChange.RemoveService(
                            service, naming.reads().isStored(service))));
        });
    }

    private ServiceSnapshot existing(ServiceKey service) {
        ServiceSnapshot found = naming.reads().find(service);
        if (found == null) {
            throw NamingException.serviceAbsent(service);
        }
        return found;
    }

    /** Overrides an instance, which may be unregistered. */
    public CompletionStage<Void> override(
            Caller by, ServiceKey service, InstanceKey instance, UnaryOperator<InstanceOverride> change) {
        return override(by, service, List.of(instance), change);
    }

    /** Overrides several instances in one transaction. */
    public CompletionStage<Void> override(
            Caller by, ServiceKey service, Collection<InstanceKey> instances, UnaryOperator<InstanceOverride> change) {
        return inTurn(service, () -> {
            ServiceEntry entry = naming.registry().find(service);
            List<NamingChange> changes = new ArrayList<>();
            Map<InstanceKey, OverrideChange> made = new ConcurrentHashMap<>();
            for (InstanceKey instance : instances) {
                InstanceOverride shown = entry == null ? InstanceOverride.NONE : entry.override(instance);
                if (store.isShared() || !change.apply(shown).equals(shown)) {
                    changes.add(new NamingChange.ChangeOverride(service, instance, before -> {
                        InstanceOverride now = change.apply(before);
                        // A change that is stored again replaces its first attempt.
                        made.put(instance, new OverrideChange(before, now));
                        return now;
                    }));
                }
            }
            return changes.isEmpty() ? done() : change(by, changes).thenRun(() -> changed(by, service, made));
        });
    }

    private void changed(Caller by, ServiceKey service, Map<InstanceKey, OverrideChange> made) {
        OverrideListener listener = overrides;
        if (listener != null) {
            made.forEach((instance, each) -> listener.changed(by, service, instance, each.before(), each.now()));
        }
    }

    /** Removes stored data of long absent instances and services, unless another node's operator has just changed them. */
    private void expired(
            ServiceKey service, Map<InstanceKey, InstanceOverride> overrides, @Nullable ServiceSettings settings) {
        inTurn(service, () -> {
                    List<NamingChange> changes = new ArrayList<>();
                    overrides.forEach((instance, known) -> changes.add(new NamingChange.ChangeOverride(
                            service, instance, stored -> stored.equals(known) ? InstanceOverride.NONE : stored)));
                    // An instance registered meanwhile loses its override.
                    ServiceEntry entry = naming.registry().find(service);
                    if (settings != null && (entry == null || !entry.hasStored())) {
                        changes.add(new NamingChange.ExpireService(service, settings));
                    }
                    return changes.isEmpty() ? done() : change(Caller.SERVER, changes);
                })
                .exceptionally(failure -> {
                    log.warn("The overrides of {} could not be cleaned up: {}", service, failure.getMessage());
                    return null;
                });
    }

    /**
     * Fails with {@code INVALID_PARAMETER} for an invalid value.
     *
     * @param isDebug whether it ends with this run of the server, without a store
     */
    public CompletionStage<Void> change(Caller by, String name, String value, boolean isDebug) {
        Map<String, String> changed = naming.switches().check(name, value);
        if (isDebug || changed.isEmpty()) {
            changed.forEach(naming.switches()::restore);
            return done();
        }
        List<NamingWrite> writes = new ArrayList<>();
        changed.forEach((entry, text) -> writes.add(new NamingWrite.SaveSwitch(entry, text)));
        return write(by, writes);
    }

    private CompletableFuture<Void> change(Caller by, List<NamingChange> changes) {
        return store.change(changes, by, written -> written.forEach(this::apply))
                .toCompletableFuture();
    }

    private CompletableFuture<Void> write(Caller by, List<NamingWrite> writes) {
        return store.write(writes, by, () -> writes.forEach(this::apply)).toCompletableFuture();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    /** After all earlier changes of the service. */
    private CompletableFuture<Void> inTurn(ServiceKey service, Supplier<CompletableFuture<Void>> change) {
        Turn turn = new Turn(change);
        boolean[] isFirst = new boolean[1];
        turns.compute(service, (key, waiting) -> {
            isFirst[0] = waiting == null;
            ArrayDeque<Turn> all = waiting == null ? new ArrayDeque<>(2) : waiting;
            all.add(turn);
            return all;
        });
        if (isFirst[0]) {
            take(service, turn);
        }
        return turn.result;
    }

    /** A loop without recursion, because thousands of changes without writes may be queued. */
    private void take(ServiceKey service, Turn first) {
        for (Turn turn = first; turn != null; turn = next(service)) {
            Turn present = turn;
            CompletableFuture<Void> own = present.begin();
            if (!own.isDone()) {
                own.whenComplete((done, failure) -> {
                    present.end(failure);
                    Turn next = next(service);
                    if (next != null) {
                        take(service, next);
                    }
                });
                return;
            }
            own.whenComplete((done, failure) -> present.end(failure));
        }
    }

    /** Ends the service's present change; returns the next, or null. */
    private @Nullable Turn next(ServiceKey service) {
        @Nullable Turn[] next = new @Nullable Turn[1];
        turns.computeIfPresent(service, (key, waiting) -> {
            waiting.poll();
            next[0] = waiting.peek();
            return next[0] == null ? null : waiting;
        });
        return next[0];
    }

    private static final class Turn {

        private final Supplier<CompletableFuture<Void>> change;
        private final CompletableFuture<Void> result = new CompletableFuture<>();

        Turn(Supplier<CompletableFuture<Void>> change) {
            this.change = change;
        }

        CompletableFuture<Void> begin() {
            try {
                return change.get();
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        void end(@Nullable Throwable failure) {
            if (failure == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure);
            }
        }
    }

    /** For display. */
    public Map<InstanceKey, InstanceOverride> overrides(ServiceKey service) {
        ServiceEntry entry = naming.registry().find(service);
        return entry == null ? Map.of() : new LinkedHashMap<>(entry.overrides());
    }
}

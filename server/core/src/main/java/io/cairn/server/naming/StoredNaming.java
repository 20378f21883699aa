package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.health.HealthCheck;
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
 * What operators and publishers of persistent instances change: stored first, then shown in the registry, then
 * acknowledged. Changes of one service are made one after the other, so that each builds on what the one before has
 * stored. Thread-safe; never blocks.
 */
public final class StoredNaming {

    private static final Logger log = LoggerFactory.getLogger(StoredNaming.class);

    private final NamingService naming;
    private final NamingStore store;
    private final PersistentInstances persistent;
    /** The changes of each service that has any: the first is under way, the others wait for it. */
    private final Map<ServiceKey, ArrayDeque<Turn>> turns = new ConcurrentHashMap<>();

    /** Hears of persistent instances as they come and go, to have them checked. Must not block. */
    public interface PersistentInstances {

        default void added(ServiceKey service, InstanceKey instance) {}

        default void removed(ServiceKey service, InstanceKey instance) {}

        /** Whether another node of the cluster checks the instance, so that this one follows its results. */
        default boolean isCheckedElsewhere(ServiceKey service, InstanceKey instance) {
            return false;
        }

        /** What the last check of the instance has found; null where it was not checked. */
        default InstanceHealth.@Nullable LastCheck lastCheck(ServiceKey service, InstanceKey instance) {
            return null;
        }
    }

    /** For a server that is alone. */
    public StoredNaming(NamingService naming, NamingStore store, PersistentInstances persistent) {
        this(naming, store, persistent, ClusterDuty.ALONE);
    }

    /** @param duty whether this node removes expired overrides for all */
    public StoredNaming(NamingService naming, NamingStore store, PersistentInstances persistent, ClusterDuty duty) {
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

    /** Fills the registry with what is stored. Blocks. */
    public void load() {
        store.forEach(this::applyStored);
    }

    /**
     * Makes the registry show what is stored, after it could not be told what was. What was found out about the health of
     * instances stays, for it is not stored. To be called where nothing is committed meanwhile. Blocks.
     */
    public void reload() {
        Stored stored = new Stored();
        store.forEach(stored::show);
        naming.stored().forgetUnstored(stored.services, stored.instances, stored.overrides, this::apply);
    }

    /** As {@link #reload()}, of these services alone. */
    public void reload(Set<ServiceKey> services) {
        Stored stored = new Stored();
        store.forEach(services, stored::show);
        for (ServiceKey service : services) {
            naming.stored().forgetUnstored(service, stored.services, stored.instances, stored.overrides, this::apply);
        }
    }

    /** As {@link #reload()}, of the switches of these names alone. */
    public void reloadSwitches(Set<String> names) {
        store.forEachSwitch(names, this::applyStored);
    }

    /** Shows the rows that are found in the store, one by one. */
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
     * Shows what was known of a service before the server was restarted: its ephemeral instances until their clients are
     * back, and what checks had found out until they find out otherwise. To be called after {@link #load}.
     *
     * @throws CairnException as {@link NamingService#register}
     */
    void recover(KnownService known) {
        naming.recovery().recover(known);
        if (!naming.switches().healthChecks().enabled()) {
            return;
        }
        for (InstanceKey instance : known.unhealthy()) {
            if (naming.healthChanges().persistent(known.service(), instance) != null
                    && !isHealthSetByHand(known.service(), instance)) {
                naming.healthChanges().setHealthy(known.service(), instance, false, UnhealthyCause.CHECK);
            }
        }
    }

    /** Since when and why the instances of a service have the health that they have. */
    public Function<InstanceKey, InstanceHealth> health(ServiceSnapshot snapshot) {
        return naming.reads().health(snapshot, instance -> persistent.lastCheck(snapshot.service(), instance));
    }

    /** Whether nothing checks the instance, so that what is stored of its health is what counts. */
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
            // It is not checked by what cannot be read either; whoever checks says so.
            return true;
        }
    }

    /** One row that does not fit must not keep the others from being read. */
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
            naming.stored().applyPersistent(save.service(), withHealthOfChecks(save.service(), save.instance()));
            persistent.added(save.service(), save.instance().key());
        } else if (write instanceof NamingWrite.RemoveInstance remove) {
            naming.stored().removePersistent(remove.service(), remove.instance());
            persistent.removed(remove.service(), remove.instance());
        } else if (write instanceof NamingWrite.SaveOverride save) {
            naming.stored().applyOverride(save.service(), save.instance(), save.override());
        } else if (write instanceof NamingWrite.SaveSwitch save) {
            naming.switches().restore(save.name(), save.value());
        }
    }

    /** The stored health does not replace that which another node finds out: it would not be notified of the difference. */
    private Instance withHealthOfChecks(ServiceKey service, Instance stored) {
        Instance shown = persistent.isCheckedElsewhere(service, stored.key())
                ? naming.healthChanges().persistent(service, stored.key())
                : null;
        return shown == null ? stored : stored.withHealthy(shown.healthy());
    }

    // --- persistent instances

    /** Fails with {@code INVALID_PARAMETER} when the service holds ephemeral instances. */
    public CompletionStage<Void> register(Caller by, ServiceKey service, Instance instance) {
        return inTurn(service, () -> {
            ServiceEntry entry = naming.stored().reserve(service, false);
            return write(by, List.of(new NamingWrite.SaveInstance(service, instance)))
                    .whenComplete((done, failure) -> naming.stored().release(entry));
        });
    }

    /** As {@link #deregister(Caller, ServiceKey, InstanceKey, LossCause)}, asked for by its client. */
    public CompletionStage<Void> deregister(Caller by, ServiceKey service, InstanceKey instance) {
        return deregister(by, service, instance, LossCause.DEREGISTERED);
    }

    /** Succeeds also where there is no such instance. */
    public CompletionStage<Void> deregister(Caller by, ServiceKey service, InstanceKey instance, LossCause cause) {
        return inTurn(service, () -> {
            if (naming.snapshot(service).published().stream()
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
     * Sets the health of an instance by hand; that of a persistent one is stored. Does nothing where there is no such
     * instance. Fails with {@code UNAVAILABLE} or {@code BUSY} where it cannot be stored.
     */
    public CompletionStage<Void> setHealthy(Caller by, ServiceKey service, InstanceKey instance, boolean healthy) {
        return inTurn(service, () -> {
            Instance known = naming.healthChanges().persistent(service, instance);
            if (known == null || !known.key().equals(instance)) {
                naming.setHealthy(service, instance, healthy);
                return done();
            }
            // Also where it is shown so: what is stored may differ from what a check has found out.
            NamingChange change =
                    new NamingChange.ChangeInstance(service, instance, stored -> stored.withHealthy(healthy));
            return store.change(List.of(change), by, written -> {
                        // First, so that the operator is named as the cause: a registration does not know one. The node
                        // that checks the instance is notified by the caller, and its results arrive here.
                        if (!persistent.isCheckedElsewhere(service, instance)) {
                            naming.setHealthy(service, instance, healthy);
                        }
                        written.forEach(this::apply);
                    })
                    .toCompletableFuture();
        });
    }

    // --- services

    /** Fails with {@code CONFLICT} when the service exists. */
    public CompletionStage<Void> createService(Caller by, ServiceKey service, ServiceSettings settings) {
        return inTurn(service, () -> {
            if (naming.find(service) != null) {
                throw NamingException.serviceExists(service);
            }
            return change(by, List.of(new NamingChange.CreateService(service, settings)));
        });
    }

    /** Changes the settings of a service. Fails with {@code NOT_FOUND} when it does not exist. */
    public CompletionStage<Void> updateService(Caller by, ServiceKey service, UnaryOperator<ServiceSettings> change) {
        return inTurn(service, () -> {
            ServiceSnapshot shown = existing(service);
            ServiceSettings unstored = naming.isStored(service) ? null : shown.settings();
            return change(by, List.of(new NamingChange.ChangeService(service, unstored, change)));
        });
    }

    /** Fails with {@code NOT_FOUND} when there is no such service, with {@code CONFLICT} when it has instances. */
    public CompletionStage<Void> removeService(Caller by, ServiceKey service) {
        return inTurn(service, () -> {
            if (existing(service).size() > 0) {
                throw NamingException.serviceNotEmpty(service);
            }
            return change(by, List.of(new NamingChange.RemoveService(service, naming.isStored(service))));
        });
    }

    private ServiceSnapshot existing(ServiceKey service) {
        ServiceSnapshot found = naming.find(service);
        if (found == null) {
            throw NamingException.serviceAbsent(service);
        }
        return found;
    }

    // --- what is laid over instances

    /** Changes what is laid over one instance, whether that is registered at the moment or not. */
    public CompletionStage<Void> override(
            Caller by, ServiceKey service, InstanceKey instance, UnaryOperator<InstanceOverride> change) {
        return override(by, service, List.of(instance), change);
    }

    /** Changes what is laid over several instances in the same way, all or none. */
    public CompletionStage<Void> override(
            Caller by, ServiceKey service, Collection<InstanceKey> instances, UnaryOperator<InstanceOverride> change) {
        return inTurn(service, () -> {
            ServiceEntry entry = naming.registry().find(service);
            List<NamingChange> changes = new ArrayList<>();
            for (InstanceKey instance : instances) {
                InstanceOverride shown = entry == null ? InstanceOverride.NONE : entry.override(instance);
                if (store.isShared() || !change.apply(shown).equals(shown)) {
                    changes.add(new NamingChange.ChangeOverride(service, instance, change));
                }
            }
            return changes.isEmpty() ? done() : change(by, changes);
        });
    }

    /**
     * Removes what was stored for instances and a service that are long gone, as far as it is still what this node knows: an operator
     * may have changed it at another node a moment ago.
     */
    private void expired(
            ServiceKey service, Map<InstanceKey, InstanceOverride> overrides, @Nullable ServiceSettings settings) {
        inTurn(service, () -> {
                    List<NamingChange> changes = new ArrayList<>();
                    overrides.forEach((instance, known) -> changes.add(new NamingChange.ChangeOverride(
                            service, instance, stored -> stored.equals(known) ? InstanceOverride.NONE : stored)));
                    // Where it is back, it is so without what was stored before.
                    ServiceEntry entry = naming.registry().find(service);
                    if (settings != null && (entry == null || !entry.hasStored())) {
                        changes.add(new NamingChange.ExpireService(service, settings));
                    }
                    return changes.isEmpty() ? done() : change(Caller.SERVER, changes);
                })
                .exceptionally(failure -> {
                    log.warn("What was set for {} could not be cleaned up: {}", service, failure.getMessage());
                    return null;
                });
    }

    // --- switches

    /**
     * Changes an operator switch. Fails with {@code INVALID_PARAMETER} when the value is not one of it.
     *
     * @param isDebug whether the change is for this run of the server only
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

    /** Runs the change after all earlier ones of the service. */
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

    /** Takes turn after turn, in a loop: thousands may wait that need no write. */
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

    /** Ends the present turn of the service; null when nobody waits for the next. */
    private @Nullable Turn next(ServiceKey service) {
        @Nullable Turn[] next = new @Nullable Turn[1];
        turns.computeIfPresent(service, (key, waiting) -> {
            waiting.poll();
            next[0] = waiting.peek();
            return next[0] == null ? null : waiting;
        });
        return next[0];
    }

    /** One change of a service, at its turn or waiting for it. */
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

    /** Everything set for a service, for those who show it. */
    public Map<InstanceKey, InstanceOverride> overrides(ServiceKey service) {
        ServiceEntry entry = naming.registry().find(service);
        return entry == null ? Map.of() : new LinkedHashMap<>(entry.overrides());
    }
}

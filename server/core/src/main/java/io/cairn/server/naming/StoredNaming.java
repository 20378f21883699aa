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
 * Changes by operators and by publishers of persistent instances. A change is stored, then applied to the registry,
 * then acknowledged. Changes of one service run one after the other, so that each sees the result of the one before.
 * Thread-safe; never blocks.
 */
public final class StoredNaming {

    private static final Logger log = LoggerFactory.getLogger(StoredNaming.class);

    private final NamingService naming;
    private final NamingStore store;
    private final PersistentInstances persistent;
    /** The queued changes of each service; the first one is running. */
    private final Map<ServiceKey, ArrayDeque<Turn>> turns = new ConcurrentHashMap<>();

    /** Is notified when a persistent instance is added or removed, so that it is health-checked. Must not block. */
    public interface PersistentInstances {

        default void added(ServiceKey service, InstanceKey instance) {}

        default void removed(ServiceKey service, InstanceKey instance) {}

        /** Whether another cluster node checks the instance, so that this node uses its results. */
        default boolean isCheckedElsewhere(ServiceKey service, InstanceKey instance) {
            return false;
        }

        /** The result of the last check of the instance; null if it was not checked. */
        default InstanceHealth.@Nullable LastCheck lastCheck(ServiceKey service, InstanceKey instance) {
            return null;
        }
    }

    /** For a single server. */
    public StoredNaming(NamingService naming, NamingStore store, PersistentInstances persistent) {
        this(naming, store, persistent, ClusterDuty.ALONE);
    }

    /** @param duty whether this node removes expired overrides for all nodes */
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

    /** Fills the registry from the store. Blocks. */
    public void load() {
        store.forEach(this::applyStored);
    }

    /**
     * Makes the registry equal to the store, after a commit whose result is not known. The health that checks have
     * found stays, because it is not stored. Call it while nothing is committed. Blocks.
     */
    public void reload() {
        Stored stored = new Stored();
        store.forEach(stored::show);
        naming.stored().forgetUnstored(stored.services, stored.instances, stored.overrides, this::apply);
    }

    /** As {@link #reload()}, for these services only. */
    public void reload(Set<ServiceKey> services) {
        Stored stored = new Stored();
        store.forEach(services, stored::show);
        for (ServiceKey service : services) {
            naming.stored().forgetUnstored(service, stored.services, stored.instances, stored.overrides, this::apply);
        }
    }

    /** As {@link #reload()}, for the switches with these names only. */
    public void reloadSwitches(Set<String> names) {
        store.forEachSwitch(names, this::applyStored);
    }

    /** Applies the rows of the store one by one, and records which exist. */
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
     * Adds the state of a service from before a restart: its ephemeral instances until their clients have reconnected,
     * and the health that checks had found until they find another. Call it after {@link #load}.
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

    /** The time and cause of the current health of each instance of a service. */
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
            // A checker that cannot be read checks nothing; the health checks log the problem.
            return true;
        }
    }

    /** Applies one row; a row that cannot be applied is logged and does not stop the others. */
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

    /**
     * Keeps the health of an instance that another node checks: that node would not send its result again after the
     * stored health had replaced it.
     */
    private Instance withHealthOfChecks(ServiceKey service, Instance stored) {
        Instance shown = persistent.isCheckedElsewhere(service, stored.key())
                ? naming.healthChanges().persistent(service, stored.key())
                : null;
        return shown == null ? stored : stored.withHealthy(shown.healthy());
    }

    /** Fails with {@code INVALID_PARAMETER} if the service has ephemeral instances. */
    public CompletionStage<Void> register(Caller by, ServiceKey service, Instance instance) {
        return inTurn(service, () -> {
            ServiceEntry entry = naming.stored().reserve(service, false);
            return write(by, List.of(new NamingWrite.SaveInstance(service, instance)))
                    .whenComplete((done, failure) -> naming.stored().release(entry));
        });
    }

    /** As {@link #deregister(Caller, ServiceKey, InstanceKey, LossCause)}, requested by the instance's client. */
    public CompletionStage<Void> deregister(Caller by, ServiceKey service, InstanceKey instance) {
        return deregister(by, service, instance, LossCause.DEREGISTERED);
    }

    /** Succeeds also if there is no such instance. */
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
     * Sets the health of an instance by hand; the health of a persistent one is stored. Does nothing if there is no
     * such instance. Fails with {@code UNAVAILABLE} or {@code BUSY} if it cannot be stored.
     */
    public CompletionStage<Void> setHealthy(Caller by, ServiceKey service, InstanceKey instance, boolean healthy) {
        return inTurn(service, () -> {
            Instance known = naming.healthChanges().persistent(service, instance);
            if (known == null || !known.key().equals(instance)) {
                naming.setHealthy(service, instance, healthy);
                return done();
            }
            // Stored even if the registry shows this health already: a check may have found it, and the stored value
            // may differ.
            NamingChange change =
                    new NamingChange.ChangeInstance(service, instance, stored -> stored.withHealthy(healthy));
            return store.change(List.of(change), by, written -> {
                        // Before the registration, which knows no cause: so the operator is recorded as the cause. The
                        // node that checks the instance is notified by the caller, and its results arrive here.
                        if (!persistent.isCheckedElsewhere(service, instance)) {
                            naming.setHealthy(service, instance, healthy);
                        }
                        written.forEach(this::apply);
                    })
                    .toCompletableFuture();
        });
    }

    /** Fails with {@code CONFLICT} if the service exists. */
    public CompletionStage<Void> createService(Caller by, ServiceKey service, ServiceSettings settings) {
        return inTurn(service, () -> {
            if (naming.find(service) != null) {
                throw NamingException.serviceExists(service);
            }
            return change(by, List.of(new NamingChange.CreateService(service, settings)));
        });
    }

    /** Changes the settings of a service. Fails with {@code NOT_FOUND} if it does not exist. */
    public CompletionStage<Void> updateService(Caller by, ServiceKey service, UnaryOperator<ServiceSettings> change) {
        return inTurn(service, () -> {
            ServiceSnapshot shown = existing(service);
            ServiceSettings unstored = naming.isStored(service) ? null : shown.settings();
            return change(by, List.of(new NamingChange.ChangeService(service, unstored, change)));
        });
    }

    /** Fails with {@code NOT_FOUND} if there is no such service, with {@code CONFLICT} if it has instances. */
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

    /** Changes the override of one instance, which need not be registered at the moment. */
    public CompletionStage<Void> override(
            Caller by, ServiceKey service, InstanceKey instance, UnaryOperator<InstanceOverride> change) {
        return override(by, service, List.of(instance), change);
    }

    /** Applies the same change to the overrides of several instances, all or none. */
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
                    // If the instance has been registered again meanwhile, it has no override any more.
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
     * Changes an operator switch. Fails with {@code INVALID_PARAMETER} if the switch cannot have that value.
     *
     * @param isDebug whether the change is not stored, so that it ends with this run of the server
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

    /** Runs the change after all earlier changes of the service. */
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

    /** Runs the queued changes in a loop, without recursion: thousands may be queued that need no write. */
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

    /** Ends the current change of the service and returns the next; null if none is queued. */
    private @Nullable Turn next(ServiceKey service) {
        @Nullable Turn[] next = new @Nullable Turn[1];
        turns.computeIfPresent(service, (key, waiting) -> {
            waiting.poll();
            next[0] = waiting.peek();
            return next[0] == null ? null : waiting;
        });
        return next[0];
    }

    /** A change of a service that runs or is queued. */
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

    /** All overrides of a service, for displaying them. */
    public Map<InstanceKey, InstanceOverride> overrides(ServiceKey service) {
        ServiceEntry entry = naming.registry().find(service);
        return entry == null ? Map.of() : new LinkedHashMap<>(entry.overrides());
    }
}

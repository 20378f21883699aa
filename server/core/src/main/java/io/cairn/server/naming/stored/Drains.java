package io.cairn.server.naming.stored;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.registry.LatestOfServices;
import io.cairn.server.naming.registry.ServiceEntry;
import io.cairn.server.node.ClusterDuty;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains of instances: an override that keeps an instance out of the lists of consumers until a time, the deregistration of the
 * instance or an operator's end. It is stored, so it survives a new registration, a move of the client and a restart. Each node
 * ends a drain at its time by its own clock, also without the database; one node stores that. Each node keeps the latest events
 * of drains that it has caused. Never blocks.
 */
public final class Drains {

    private static final Logger log = LoggerFactory.getLogger(Drains.class);
    private static final int EVENTS_OF_A_SERVICE = 20;

    private final RegistryParts naming;
    private final StoredNaming stored;
    private final ClusterDuty duty;
    private final Timer timer;
    private final Clock clock;
    private final LatestOfServices<DrainEvent> events = new LatestOfServices<>(EVENTS_OF_A_SERVICE);
    private final Map<Drained, Running> running = new ConcurrentHashMap<>();
    /** The drains of other nodes that this node does not show yet. */
    private final Set<Awaited> awaited = ConcurrentHashMap.newKeySet();

    private record Drained(ServiceKey service, InstanceKey instance) {}

    private static final class Awaited {

        private final Drained drained;
        private final CompletableFuture<Boolean> shown = new CompletableFuture<>();

        Awaited(Drained drained) {
            this.drained = drained;
        }
    }

    private record Running(long endMillis, Timeout end) {}

    /** @param duty whether this node stores the end of a drain for all */
    public Drains(RegistryParts naming, StoredNaming stored, ClusterDuty duty, Timer timer, Clock clock) {
        this.naming = naming;
        this.stored = stored;
        this.duty = duty;
        this.timer = timer;
        this.clock = clock;
        stored.followOverrides(new StoredNaming.OverrideListener() {
            @Override
            public void shown(ServiceKey service, InstanceKey instance, InstanceOverride override) {
                Drains.this.shown(service, instance, override);
            }

            @Override
            public void changed(
                    Caller by,
                    ServiceKey service,
                    InstanceKey instance,
                    InstanceOverride before,
                    InstanceOverride now) {
                Drains.this.changed(by, service, instance, before, now);
            }
        });
        naming.registry().onDrainedDeregistered((service, instance) -> end(Caller.SERVER, service, instance)
                .exceptionally(failure -> {
                    log.warn(
                            "The drain of {} of {} goes on after its deregistration, because its end could not be stored: {}",
                            instance,
                            service,
                            failure.getMessage());
                    return null;
                }));
    }

    /**
     * Begins a drain, or changes its end.
     *
     * @return the end of the drain, in epoch milliseconds, once it is stored
     */
    public CompletionStage<Long> begin(Caller by, ServiceKey service, InstanceKey instance, Duration lasting) {
        long endMillis = clock.millis() + lasting.toMillis();
        return stored.override(by, service, instance, before -> before.drainedUntil(endMillis))
                .thenApply(done -> endMillis);
    }

    /** Ends a drain; no effect without one. */
    public CompletionStage<Void> end(Caller by, ServiceKey service, InstanceKey instance) {
        return stored.override(by, service, instance, before -> before.drainedUntil(0));
    }

    private void changed(
            Caller by, ServiceKey service, InstanceKey instance, InstanceOverride before, InstanceOverride now) {
        if (before.drainEndMillis() == now.drainEndMillis()) {
            return;
        }
        boolean isServer = by.equals(Caller.SERVER);
        DrainEvent.Kind kind;
        if (now.isDraining()) {
            kind = DrainEvent.Kind.BEGUN;
        } else if (!isServer) {
            kind = DrainEvent.Kind.ENDED;
        } else {
            kind = before.drainEndMillis() <= clock.millis() ? DrainEvent.Kind.EXPIRED : DrainEvent.Kind.DEREGISTERED;
        }
        String user = isServer ? "" : by.principal().name();
        events.add(service, new DrainEvent(kind, clock.millis(), instance, user, 0, 0));
    }

    /** Keeps the result of a wait for the subscribers. */
    public void answered(ServiceKey service, InstanceKey instance, int subscribers, int waiting, boolean isComplete) {
        events.add(
                service,
                new DrainEvent(
                        isComplete ? DrainEvent.Kind.ACKNOWLEDGED : DrainEvent.Kind.UNACKNOWLEDGED,
                        clock.millis(),
                        instance,
                        "",
                        subscribers,
                        waiting));
    }

    /** The latest events that this node has caused, newest first. */
    public List<DrainEvent> events(ServiceKey service) {
        return events.of(service);
    }

    /** The end of the instance's drain, in epoch milliseconds; 0 without one. */
    public long endMillis(ServiceKey service, InstanceKey instance) {
        ServiceEntry entry = naming.registry().find(service);
        return entry == null ? 0 : entry.override(instance).drainEndMillis();
    }

    /** True when this node shows the instance as drained, false at the time limit. */
    public CompletionStage<Boolean> whenShown(ServiceKey service, InstanceKey instance, Duration within) {
        Awaited waiting = new Awaited(new Drained(service, instance));
        awaited.add(waiting);
        if (endMillis(service, instance) != 0) {
            waiting.shown.complete(true);
        }
        Timeout limit =
                timer.newTimeout(fired -> waiting.shown.complete(false), within.toMillis(), TimeUnit.MILLISECONDS);
        return waiting.shown.whenComplete((isShown, failure) -> {
            limit.cancel();
            awaited.remove(waiting);
        });
    }

    private void shown(ServiceKey service, InstanceKey instance, InstanceOverride override) {
        Drained drained = new Drained(service, instance);
        if (!override.isDraining()) {
            Running ended = running.remove(drained);
            if (ended != null) {
                ended.end().cancel();
            }
            return;
        }
        long endMillis = override.drainEndMillis();
        Running before = running.put(
                drained,
                new Running(
                        endMillis,
                        timer.newTimeout(
                                fired -> expire(drained, endMillis),
                                Math.max(0, endMillis - clock.millis()),
                                TimeUnit.MILLISECONDS)));
        if (before != null) {
            before.end().cancel();
        }
        for (Awaited waiting : awaited) {
            if (waiting.drained.equals(drained)) {
                waiting.shown.complete(true);
            }
        }
    }

    private void expire(Drained drained, long endMillis) {
        Running ended = running.get(drained);
        if (ended == null || ended.endMillis() != endMillis) {
            return;
        }
        log.info("The drain of {} of {} has ended at its time", drained.instance(), drained.service());
        if (!duty.isMine()) {
            showEnd(drained, endMillis);
            return;
        }
        stored.override(
                        Caller.SERVER,
                        drained.service(),
                        drained.instance(),
                        before -> before.drainEndMillis() == endMillis ? before.drainedUntil(0) : before)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        log.warn(
                                "The end of the drain of {} of {} could not be stored: {}",
                                drained.instance(),
                                drained.service(),
                                failure.getMessage());
                        showEnd(drained, endMillis);
                    }
                });
    }

    private void showEnd(Drained drained, long endMillis) {
        ServiceEntry entry = naming.registry().find(drained.service());
        InstanceOverride shown = entry == null ? InstanceOverride.NONE : entry.override(drained.instance());
        if (shown.drainEndMillis() == endMillis) {
            running.computeIfPresent(drained, (key, present) -> present.endMillis() == endMillis ? null : present);
            naming.stored().applyOverride(drained.service(), drained.instance(), shown.drainedUntil(0));
        }
    }
}

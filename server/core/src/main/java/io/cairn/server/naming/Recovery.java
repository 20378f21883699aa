package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The instances that are shown though no client stands behind them: remembered over a restart, or left by a connection that was asked to
 * move. They end when their clients have registered again, when a client deregisters them, or when the recovery window ends. Thread-safe.
 */
final class Recovery {

    private final Registry registry;
    private final Registrations registrations;
    private final HttpLeases leases;
    private final LeaseRenewal renewal;

    Recovery(Registry registry, Registrations registrations, HttpLeases leases, LeaseRenewal renewal) {
        this.registry = registry;
        this.registrations = registrations;
        this.leases = leases;
        this.renewal = renewal;
    }

    /**
     * A connection has ended: all that it has published goes with it. In a group, it stays until the client has registered at another
     * node, or the window ends, if the client was asked to move or this node was paused and does not know why the connection ended.
     *
     * @param moves whether the client was asked to move to another node
     */
    void connectionClosed(String connectionId, boolean moves) {
        Publisher publisher = registry.publisher(connectionId);
        if (publisher == null || publisher.kind() != Publisher.Kind.CONNECTION || registry.isFrozen()) {
            return;
        }
        renewal.findPause();
        if (registry.group().isShared() && (moves || registry.keepsGone() || renewal.isPauseFound())) {
            leave(publisher);
        } else if (!registry.keepsGone()) {
            registrations.end(publisher, LossCause.CONNECTION_CLOSED);
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
                ServiceEntry entry = registry.find(service);
                if (publication != null && entry != null) {
                    outcomes.put(entry, entry.disown(publication));
                    registry.group().changes().published(publisher.id(), service);
                }
            }
            registry.removeIfLeft(publisher);
        }
        outcomes.forEach(registry::changed);
        endWithWindow(publisher);
    }

    /**
     * Removes a remembered instance, in any cluster, because its client has reconnected only to deregister it. The
     * cluster has no effect, as in other deregistrations.
     *
     * @throws CairnException {@code UNAVAILABLE} if the server is stopping
     */
    void forgetRecovered(ServiceKey service, InstanceKey instance) {
        ServiceEntry entry = registry.find(service);
        if (entry == null && !registry.group().isShared()) {
            return;
        }
        if (registry.isFrozen()) {
            throw Registry.stopping();
        }
        if (entry != null) {
            ServiceEntry.Outcome outcome = entry.forgetRecovered(instance, Long.MAX_VALUE);
            if (outcome != ServiceEntry.Outcome.NONE) {
                registry.losses().lost(service, LossCause.DEREGISTERED, 1, instance);
                registry.changed(entry, outcome);
            }
        }
        // Also where nothing is known of it here: another node may still hold it.
        registry.group().changes().forgotten(service, instance);
    }

    /**
     * Adds the ephemeral instances of a service from before a restart. Instances of connections are listed until their
     * publishers have reconnected, at most until the {@linkplain #startRecoveryWindow window} ends; instances with
     * heartbeats have their usual time for the next heartbeat.
     */
    void recover(KnownService known) {
        Map<String, List<Instance>> bySdk = new LinkedHashMap<>(2);
        for (KnownService.Connected each : known.ofConnections()) {
            bySdk.computeIfAbsent(each.sdk(), first -> new ArrayList<>()).add(each.instance());
        }
        bySdk.forEach((sdk, instances) -> registrations.publish(
                registry.publisher(recoveredId(sdk), Publisher.Kind.RECOVERED, new Publisher.Client("", 0, "", sdk)),
                known.service(),
                instances,
                Registrations.BEFORE_ALL));
        for (Instance instance : known.beating()) {
            leases.register(known.service(), instance, Registrations.BEFORE_ALL).awaitFirstBeat();
        }
        // A client that is at another node already would come back here when it ends there.
        ServiceEntry entry = registry.find(known.service());
        if (entry != null) {
            registry.changed(entry, entry.forgetRecoveredWithOwner(Registrations.BEFORE_ALL), true);
        }
        // After the publication: a deregistration that arrives in between finds it.
        known.ofConnections().forEach(each -> forgetIfDeregistered(known.service(), each.instance()));
        known.beating().forEach(each -> forgetIfDeregistered(known.service(), each));
    }

    /** The client may have deregistered the instance at another node while this one was starting. */
    private void forgetIfDeregistered(ServiceKey service, Instance recovered) {
        InstanceKey instance = recovered.key();
        long deregisteredAt = registry.group().changes().deregisteredAt(service, instance);
        if (deregisteredAt > Registrations.BEFORE_ALL) {
            forget(service, instance, deregisteredAt);
        }
    }

    /**
     * Ends remembered publications of the instance that are older than its deregistration, which another node has
     * received.
     *
     * @param deregisteredAt the time of the deregistration
     */
    void forget(ServiceKey service, InstanceKey instance, long deregisteredAt) {
        ServiceEntry entry = registry.find(service);
        if (entry != null) {
            registry.changedElsewhere(entry, entry.forgetRecovered(instance, deregisteredAt - 1));
            leases.endAwaited(service, instance, deregisteredAt);
        }
    }

    static String recoveredId(String sdk) {
        return "recovered " + sdk;
    }

    /** The state of a service's instances that is not stored, to be remembered over a restart. */
    KnownService known(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return KnownService.of(service, entry == null ? List.of() : entry.ownPublications());
    }

    /** Starts the window at whose end recovered instances are removed if their publishers have not reconnected. */
    void startRecoveryWindow() {
        for (Publisher recovered : registry.publishers()) {
            if (recovered.kind() == Publisher.Kind.RECOVERED) {
                endWithWindow(recovered);
            }
        }
    }

    private void endWithWindow(Publisher recovered) {
        long window = RecoveryWindow.of(
                        recovered.client().version(), registry.settings().recoveryWindow())
                .toNanos();
        endAfter(recovered, registry.nanoTime(), window, window);
    }

    private void endAfter(Publisher recovered, long sinceNanos, long window, long left) {
        registry.timer()
                .newTimeout(
                        fired -> {
                            renewal.findPause();
                            long renewed = renewal.renewedNanos();
                            if (registry.isFrozen()) {
                                return;
                            }
                            if (renewed - sinceNanos > 0) {
                                long over = registry.nanoTime() - renewed;
                                endAfter(recovered, renewed, window, Math.max(1, window - over));
                            } else {
                                registrations.end(
                                        recovered,
                                        recovered.isLeft() ? LossCause.CONNECTION_CLOSED : LossCause.NOT_BACK);
                            }
                        },
                        left,
                        TimeUnit.NANOSECONDS);
    }
}

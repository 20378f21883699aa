package io.cairn.server.naming.lease;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.RecoveryWindow;
import io.cairn.server.naming.registry.Registrations;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.ServiceEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Instances shown without a client: remembered over a restart, or left by a connection that moved or ended soon after the restart.
 * They end by a registration or deregistration of their clients, or the {@link RecoveryWindow}.
 */
public final class Recovery {

    private final Registry registry;
    private final Registrations registrations;
    private final HttpLeases leases;
    private final LeaseRenewal renewal;
    /** When clients were admitted. */
    private volatile long beganNanos;

    public Recovery(Registry registry, Registrations registrations, HttpLeases leases, LeaseRenewal renewal) {
        this.registry = registry;
        this.registrations = registrations;
        this.leases = leases;
        this.renewal = renewal;
        this.beganNanos = registry.nanoTime();
    }

    /**
     * Removes an ended connection's publications, with two exceptions.
     *
     * <p>Within the recovery window after a start, instances stay that were remembered when the connection registered them: after
     * an ordered stop official clients connect twice, and may register some services on the first connection.
     *
     * <p>In a group, all stay until a registration at another node, or the window's end, if the client was asked to move, or this
     * node was paused and does not know the cause.
     *
     * @param moves whether the client was asked to move
     */
    public void connectionClosed(String connectionId, boolean moves) {
        Publisher publisher = registry.publisher(connectionId);
        if (publisher == null || publisher.kind() != Publisher.Kind.CONNECTION || registry.isFrozen()) {
            return;
        }
        renewal.findPause();
        if (registry.group().isShared() && (moves || registry.keepsOnDisconnect() || renewal.isPauseFound())) {
            long now = registry.nanoTime();
            leave(
                    publisher,
                    false,
                    now + RecoveryWindow.longest(window(publisher)).toNanos());
        } else if (registry.keepsOnDisconnect()) {
            return;
        } else if (isRecovering(publisher)) {
            long end = beganNanos + RecoveryWindow.LONGEST.toNanos();
            leave(
                    publisher,
                    true,
                    RecoveryWindow.later(
                            end, registry.nanoTime() + window(publisher).toNanos()));
        } else {
            registrations.end(publisher, LossCause.CONNECTION_CLOSED);
        }
    }

    /**
     * Keeps the publications of a connection that the server has ended because the token of its client had expired, or that has asked
     * for it. The client connects again and registers them; the window is the limit.
     */
    public void connectionExpired(String connectionId) {
        Publisher publisher = registry.publisher(connectionId);
        if (publisher == null || publisher.kind() != Publisher.Kind.CONNECTION || registry.isFrozen()) {
            return;
        }
        renewal.findPause();
        leave(
                publisher,
                false,
                registry.nanoTime() + RecoveryWindow.longest(window(publisher)).toNanos());
    }

    /**
     * Keeps an ended connection's publications under its id.
     *
     * @param ifReturned whether to keep only returned ones
     * @param latestNanos the latest end
     */
    private void leave(Publisher publisher, boolean ifReturned, long latestNanos) {
        Map<ServiceEntry, ServiceEntry.Outcome> outcomes = new LinkedHashMap<>();
        Map<ServiceKey, Publication> ended = new LinkedHashMap<>();
        boolean isEmpty;
        synchronized (publisher) {
            if (publisher.isClosed()) {
                return;
            }
            publisher.close();
            publisher.become(Publisher.Kind.RECOVERED);
            for (ServiceKey service : publisher.services()) {
                Publication publication = publisher.publication(service);
                ServiceEntry entry = registry.find(service);
                if (publication == null || entry == null) {
                    continue;
                }
                if (ifReturned && (!publication.isReturned() || publication.size() == 0)) {
                    publisher.remove(service);
                    publisher.counted(-publication.size());
                    registry.withdrawn(publisher, service);
                    ended.put(service, publication);
                } else {
                    outcomes.put(entry, entry.disown(publication));
                    registry.group().changes().published(publisher.id(), service);
                }
            }
            registry.removeIfLeft(publisher);
            isEmpty = publisher.isEmpty();
        }
        outcomes.forEach(registry::changed);
        ended.forEach(
                (service, publication) -> registrations.withdraw(service, publication, LossCause.CONNECTION_CLOSED));
        if (!isEmpty) {
            endLater(publisher, window(publisher), registry.nanoTime(), latestNanos);
        }
    }

    /**
     * Removes a remembered instance, in any cluster, because its client has returned only to deregister it.
     *
     * @throws CairnException {@code UNAVAILABLE} during a stop
     */
    public void forgetRecovered(ServiceKey service, InstanceKey instance) {
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
        // Also for an unknown instance: another node may hold it.
        registry.group().changes().forgotten(service, instance);
    }

    /** Removes an instance that was registered without a connection, also a remembered one; ignores an unknown instance. */
    public void deregisterOverHttp(ServiceKey service, InstanceKey instance, LossCause cause) {
        leases.deregister(service, instance, cause);
        forgetRecovered(service, instance);
    }

    /**
     * Adds a service's ephemeral instances from before a restart. Instances of connections stay until their publishers reconnect, at
     * most until the {@linkplain #startRecoveryWindow window} ends; others have their usual time for a heartbeat.
     */
    public void recover(KnownService known) {
        Map<String, List<Instance>> bySdk = new LinkedHashMap<>(2);
        for (KnownService.Connected each : known.ofConnections()) {
            bySdk.computeIfAbsent(each.sdk(), first -> new ArrayList<>()).add(each.instance());
        }
        bySdk.forEach((sdk, instances) -> registrations.publish(
                registry.publisher(recoveredId(sdk), Publisher.Kind.RECOVERED, new Publisher.Client("", 0, "", sdk)),
                known.service(),
                instances,
                MirroredPublication.BEFORE_ALL));
        for (Instance instance : known.beating()) {
            leases.register(known.service(), instance, MirroredPublication.BEFORE_ALL)
                    .awaitFirstBeat();
        }
        // A client that is at another node already would return here when it ends there.
        ServiceEntry entry = registry.find(known.service());
        if (entry != null) {
            registry.changed(entry, entry.forgetRecoveredWithOwner(MirroredPublication.BEFORE_ALL), true);
        }
        // After the publication: a deregistration that arrives in between finds it.
        known.ofConnections().forEach(each -> forgetIfDeregistered(known.service(), each.instance()));
        known.beating().forEach(each -> forgetIfDeregistered(known.service(), each));
    }

    /** The client may have deregistered at another node during this start. */
    private void forgetIfDeregistered(ServiceKey service, Instance recovered) {
        InstanceKey instance = recovered.key();
        long deregisteredAt = registry.group().changes().deregisteredAt(service, instance);
        if (deregisteredAt > MirroredPublication.BEFORE_ALL) {
            forget(service, instance, deregisteredAt);
        }
    }

    /**
     * Ends older remembered publications after a deregistration at another node.
     *
     * @param deregisteredAt its time
     */
    public void forget(ServiceKey service, InstanceKey instance, long deregisteredAt) {
        ServiceEntry entry = registry.find(service);
        if (entry != null) {
            registry.changedElsewhere(entry, entry.forgetRecovered(instance, deregisteredAt - 1));
            leases.endAwaited(service, instance, deregisteredAt);
        }
    }

    public static String recoveredId(String sdk) {
        return "recovered " + sdk;
    }

    /** A service's unstored state, for a restart. */
    public KnownService known(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return KnownService.of(service, entry == null ? List.of() : entry.ownPublications());
    }

    /** At its end, recovered instances without their publishers are removed. */
    public void startRecoveryWindow() {
        // No client could return before.
        renewal.renewLeases();
        long now = registry.nanoTime();
        beganNanos = now;
        for (Publisher recovered : registry.publishers()) {
            if (recovered.kind() == Publisher.Kind.RECOVERED) {
                Duration window = window(recovered);
                endLater(
                        recovered,
                        window,
                        now,
                        now + RecoveryWindow.longest(window).toNanos());
            }
        }
    }

    private Duration window(Publisher recovered) {
        return RecoveryWindow.of(
                recovered.client().version(), registry.settings().recoveryWindow());
    }

    /** Whether clients of its SDK are still expected after the start. */
    private boolean isRecovering(Publisher publisher) {
        long end = RecoveryWindow.endNanos(beganNanos, registry.returning().lastNanos(), window(publisher));
        return registry.nanoTime() - end < 0;
    }

    /**
     * Ends the publisher when no client has returned for the window, or at the latest end.
     *
     * @param sinceNanos the window's earliest begin
     */
    private void endLater(Publisher recovered, Duration window, long sinceNanos, long latestNanos) {
        long since = RecoveryWindow.later(sinceNanos, registry.returning().lastNanos());
        long left = Math.min(since + window.toNanos() - registry.nanoTime(), latestNanos - registry.nanoTime());
        if (left <= 0) {
            registrations.end(recovered, recovered.isLeft() ? LossCause.CONNECTION_CLOSED : LossCause.NOT_BACK);
            return;
        }
        registry.timer()
                .newTimeout(
                        fired -> {
                            renewal.findPause();
                            if (registry.keepsOnDisconnect()) {
                                return;
                            }
                            long renewed = renewal.renewedNanos();
                            boolean isRenewed = renewed - sinceNanos > 0;
                            endLater(
                                    recovered,
                                    window,
                                    isRenewed ? renewed : sinceNanos,
                                    isRenewed
                                            ? renewed
                                                    + RecoveryWindow.longest(window)
                                                            .toNanos()
                                            : latestNanos);
                        },
                        left,
                        TimeUnit.NANOSECONDS);
    }
}

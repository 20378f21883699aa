package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The instances of HTTP clients, which have no connection and send heartbeats: registers them, and finds out when their heartbeats
 * stop. Thread-safe.
 */
final class HttpLeases {

    private final Registry registry;
    private final Registrations registrations;
    private final HealthChanges health;
    private final LeaseRenewal renewal;
    private final LongAdder beats = new LongAdder();

    HttpLeases(Registry registry, Registrations registrations, HealthChanges health, LeaseRenewal renewal) {
        this.registry = registry;
        this.registrations = registrations;
        this.health = health;
        this.renewal = renewal;
    }

    /**
     * Registers an instance of a client that has no connection and beats instead.
     *
     * @throws CairnException as {@link Registrations#register}
     */
    Lease register(ServiceKey service, Instance instance) {
        return register(service, instance, Registrations.NOW);
    }

    /** @param publishedAt the time of the registration; one that is not later than that of the present publication changes nothing */
    Lease register(ServiceKey service, Instance instance, long publishedAt) {
        Lease lease = new Lease(instance, registry.nanoTime());
        Publication publication = registrations.publishAs(Publisher.Kind.HTTP, service, instance, lease, publishedAt);
        watch(service, publication, lease);
        return lease;
    }

    /** Takes back an instance that was registered without a connection; does nothing where there is none. */
    void deregister(ServiceKey service, InstanceKey instance, LossCause cause) {
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        if (publisher != null) {
            registrations.deregister(publisher, service, cause);
        }
    }

    /**
     * Notes that an instance is alive.
     *
     * @param described the instance as the beat describes it, by which an unknown one is registered; null where it does
     *     not
     */
    BeatResult beat(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        beats.increment();
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        Lease lease = null;
        ServiceEntry entry = null;
        ServiceEntry.Outcome outcome = ServiceEntry.Outcome.NONE;
        if (publisher != null) {
            // Under its lock, so that a beat and its absence are noted one after the other.
            synchronized (publisher) {
                Publication publication = publisher.publication(service);
                lease = publication == null ? null : publication.lease();
                if (publication != null && lease != null) {
                    lease.beat(registry.nanoTime());
                    boolean wasOverdue = lease.clearOverdue();
                    if (wasOverdue) {
                        // The next check was set for the removal, which may be long after the instance is silent again.
                        watch(service, publication, lease);
                    }
                    // An operator may have found it unhealthy, too.
                    if (wasOverdue || !publication.hosted()[0].published().healthy()) {
                        entry = registry.find(service);
                        outcome = entry == null
                                ? outcome
                                : entry.setHealthy(publication, null, true, registry.nowMillis(), null);
                        registry.recordIfChanged(publication, service, outcome);
                    }
                }
            }
        }
        if (lease == null) {
            return described == null
                    ? BeatResult.UNKNOWN
                    : BeatResult.of(register(service, described).beatIntervalMillis());
        }
        if (entry != null) {
            registry.tell(entry, outcome);
        }
        return BeatResult.of(lease.beatIntervalMillis());
    }

    void watch(ServiceKey service, Publication publication, Lease lease) {
        lease.watchedBy(() -> registry.timer()
                .newTimeout(
                        fired -> check(service, publication, lease, fired),
                        lease.nanosUntilNextCheck(registry.nanoTime(), renewal.renewedNanos()),
                        TimeUnit.NANOSECONDS));
    }

    private void check(ServiceKey service, Publication publication, Lease lease, Timeout fired) {
        if (lease.isEnded() || registry.isFrozen() || !lease.isWatchedBy(fired)) {
            return;
        }
        renewal.findPause();
        long now = registry.nanoTime();
        if (registry.settings().expireInstances()
                && lease.isExpired(now, renewal.renewedNanos())
                && expire(service, publication, lease)) {
            return;
        }
        if (lease.isOverdue(now, renewal.renewedNanos())) {
            overdue(service, publication, lease);
        }
        watch(service, publication, lease);
    }

    /** Marks the instance unhealthy unless it has sent a heartbeat or was registered again in the meantime. */
    private void overdue(ServiceKey service, Publication publication, Lease lease) {
        ServiceEntry entry = registry.find(service);
        if (entry == null) {
            return;
        }
        ServiceEntry.Outcome outcome;
        Publisher publisher = publication.publisher();
        synchronized (publisher) {
            if (lease.isEnded()
                    || !lease.isOverdue(registry.nanoTime(), renewal.renewedNanos())
                    || !lease.markOverdue()) {
                return;
            }
            outcome = entry.setHealthy(publication, null, false, registry.nowMillis(), UnhealthyCause.HEARTBEAT);
            registry.recordIfChanged(publication, service, outcome);
        }
        health.countUnhealthy(UnhealthyCause.HEARTBEAT);
        registry.tell(entry, outcome);
    }

    /** Removes the instance unless it has beaten in the meantime. */
    private boolean expire(ServiceKey service, Publication publication, Lease lease) {
        Publisher publisher = publication.publisher();
        synchronized (publisher) {
            // A new registration keeps the publication and gives it a new lease.
            if (lease.isEnded()
                    || !lease.isExpired(registry.nanoTime(), renewal.renewedNanos())
                    || publisher.publication(service) != publication) {
                return lease.isEnded();
            }
            publisher.remove(service);
            publisher.counted(-publication.size());
            registry.withdrawn(publisher, service);
            registry.forgetIfIdle(publisher);
        }
        boolean isFromBeforeRestart = lease.isAwaited() && publication.publishedAt() == Registrations.BEFORE_ALL;
        registrations.withdraw(service, publication, isFromBeforeRestart ? LossCause.NOT_BACK : LossCause.EXPIRED);
        return true;
    }

    /**
     * Ends the instance if it was recovered or adopted and its client has sent no heartbeat since: the client has deregistered it at
     * another node. An instance that was registered later stays.
     *
     * @param deregisteredAt the time of the deregistration
     */
    void endAwaited(ServiceKey service, InstanceKey instance, long deregisteredAt) {
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        if (publisher == null || registry.isFrozen()) {
            return;
        }
        Publication publication;
        synchronized (publisher) {
            publication = publisher.publication(service);
            Lease lease = publication == null ? null : publication.lease();
            if (publication == null
                    || lease == null
                    || !lease.isAwaited()
                    || publication.publishedAt() >= deregisteredAt) {
                return;
            }
            publisher.remove(service);
            publisher.counted(-publication.size());
            registry.withdrawn(publisher, service);
            registry.forgetIfIdle(publisher);
        }
        registrations.withdraw(service, publication, LossCause.DEREGISTERED);
    }

    /** How long an instance may be silent stands in its metadata, and those have changed. */
    void followOverride(ServiceKey service, InstanceKey instance) {
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        if (publisher != null) {
            synchronized (publisher) {
                Publication publication = publisher.publication(service);
                Lease lease = publication == null ? null : publication.lease();
                if (publication != null && lease != null && lease.follow(publication.hosted()[0].shown())) {
                    watch(service, publication, lease);
                }
            }
        }
    }

    /** When an instance without a connection last beat, or was registered, in epoch milliseconds; 0 where there is none. */
    long lastBeatMillis(ServiceKey service, InstanceKey instance) {
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        if (publisher == null) {
            return 0;
        }
        synchronized (publisher) {
            Publication publication = publisher.publication(service);
            Lease lease = publication == null ? null : publication.lease();
            return lease == null
                    ? 0
                    : registry.nowMillis() - TimeUnit.NANOSECONDS.toMillis(registry.nanoTime() - lease.lastBeatNanos());
        }
    }

    /** How many beats have come in. */
    long beatCount() {
        return beats.sum();
    }
}

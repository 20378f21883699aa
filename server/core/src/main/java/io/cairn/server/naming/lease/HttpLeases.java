package io.cairn.server.naming.lease;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.UnhealthyCause;
import io.cairn.server.naming.registry.HealthChanges;
import io.cairn.server.naming.registry.Lease;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.RecoveryWindow;
import io.cairn.server.naming.registry.Registrations;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.ServiceEntry;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Registers the instances of HTTP clients, and detects missing heartbeats. */
public final class HttpLeases {

    private final Registry registry;
    private final Registrations registrations;
    private final HealthChanges health;
    private final LeaseRenewal renewal;
    private final LongAdder beats = new LongAdder();

    public HttpLeases(Registry registry, Registrations registrations, HealthChanges health, LeaseRenewal renewal) {
        this.registry = registry;
        this.registrations = registrations;
        this.health = health;
        this.renewal = renewal;
    }

    /** @throws CairnException as {@link Registrations#register} */
    public Lease register(ServiceKey service, Instance instance) {
        return register(service, instance, Registrations.NOW);
    }

    /** @param publishedAt no effect if not later than the present publication's */
    public Lease register(ServiceKey service, Instance instance, long publishedAt) {
        Lease lease = new Lease(instance, registry.nanoTime());
        Publication publication = registrations.publishAs(Publisher.Kind.HTTP, service, instance, lease, publishedAt);
        watch(service, publication, lease);
        return lease;
    }

    /** No effect on an absent instance. */
    public void deregister(ServiceKey service, InstanceKey instance, LossCause cause) {
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        if (publisher != null) {
            registrations.deregister(publisher, service, cause);
        }
    }

    /** @param described the instance in the heartbeat, to register an unknown one; may be null */
    public BeatResult beat(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        beats.increment();
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        Lease lease = null;
        ServiceEntry entry = null;
        ServiceEntry.Outcome outcome = ServiceEntry.Outcome.NONE;
        if (publisher != null) {
            // Under its lock, so that a heartbeat and its absence are ordered.
            synchronized (publisher) {
                Publication publication = publisher.publication(service);
                lease = publication == null ? null : publication.lease();
                if (publication != null && lease != null) {
                    if (lease.isAwaited() && publication.isAwaited()) {
                        registry.returning().returned();
                    }
                    lease.beat(registry.nanoTime());
                    boolean wasOverdue = lease.clearOverdue();
                    if (wasOverdue) {
                        // The next check was set for the removal, perhaps long after the next silence.
                        watch(service, publication, lease);
                    }
                    // An operator may have set it unhealthy, too.
                    if (wasOverdue || !publication.registered()[0].published().healthy()) {
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
            registry.notifyListeners(entry, outcome);
        }
        return BeatResult.of(lease.beatIntervalMillis());
    }

    public void watch(ServiceKey service, Publication publication, Lease lease) {
        lease.watchedBy(() -> registry.timer()
                .newTimeout(
                        fired -> check(service, publication, lease, fired),
                        lease.nanosUntilNextCheck(registry.nanoTime(), silentSinceNanos(publication, lease)),
                        TimeUnit.NANOSECONDS));
    }

    /** The earliest begin of the client's silence. While clients return after a restart, others have time. */
    private long silentSinceNanos(Publication publication, Lease lease) {
        long renewed = renewal.renewedNanos();
        if (publication.publishedAt() != MirroredPublication.BEFORE_ALL || !lease.isAwaited()) {
            return renewed;
        }
        long latest = RecoveryWindow.later(lease.lastBeatNanos(), renewed) + lease.longestWaitNanos();
        long returned = registry.returning().lastNanos();
        return RecoveryWindow.later(renewed, RecoveryWindow.earlier(returned, latest));
    }

    private void check(ServiceKey service, Publication publication, Lease lease, Timeout fired) {
        if (lease.isEnded() || registry.keepsOnDisconnect() || !lease.isWatchedBy(fired)) {
            return;
        }
        renewal.findPause();
        long now = registry.nanoTime();
        long since = silentSinceNanos(publication, lease);
        if (registry.settings().expireInstances()
                && lease.isExpired(now, since)
                && expire(service, publication, lease)) {
            return;
        }
        if (lease.isOverdue(now, since)) {
            overdue(service, publication, lease);
        }
        watch(service, publication, lease);
    }

    /** Marks the instance unhealthy, unless it had a heartbeat or registration meanwhile. */
    private void overdue(ServiceKey service, Publication publication, Lease lease) {
        ServiceEntry entry = registry.find(service);
        if (entry == null) {
            return;
        }
        ServiceEntry.Outcome outcome;
        Publisher publisher = publication.publisher();
        synchronized (publisher) {
            if (lease.isEnded()
                    || !lease.isOverdue(registry.nanoTime(), silentSinceNanos(publication, lease))
                    || !lease.markOverdue()) {
                return;
            }
            outcome = entry.setHealthy(publication, null, false, registry.nowMillis(), UnhealthyCause.HEARTBEAT);
            registry.recordIfChanged(publication, service, outcome);
        }
        health.countUnhealthy(UnhealthyCause.HEARTBEAT);
        registry.notifyListeners(entry, outcome);
    }

    /** Removes the instance, unless it had a heartbeat meanwhile. */
    private boolean expire(ServiceKey service, Publication publication, Lease lease) {
        Publisher publisher = publication.publisher();
        synchronized (publisher) {
            // A new registration keeps the publication with a new lease.
            if (lease.isEnded()
                    || !lease.isExpired(registry.nanoTime(), silentSinceNanos(publication, lease))
                    || publisher.publication(service) != publication) {
                return lease.isEnded();
            }
            publisher.remove(service);
            publisher.counted(-publication.size());
            registry.withdrawn(publisher, service);
            registry.forgetIfIdle(publisher);
        }
        registrations.withdraw(service, publication, publication.isAwaited() ? LossCause.NOT_BACK : LossCause.EXPIRED);
        return true;
    }

    /**
     * Ends a recovered or adopted instance without a heartbeat since: its client deregistered it at another node. A later
     * registration stays.
     *
     * @param deregisteredAt time of the deregistration
     */
    public void endAwaited(ServiceKey service, InstanceKey instance, long deregisteredAt) {
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

    /** The changed metadata may set the permitted silence. */
    public void followOverride(ServiceKey service, InstanceKey instance) {
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        if (publisher != null) {
            synchronized (publisher) {
                Publication publication = publisher.publication(service);
                Lease lease = publication == null ? null : publication.lease();
                if (publication != null && lease != null && lease.follow(publication.registered()[0].shown())) {
                    watch(service, publication, lease);
                }
            }
        }
    }

    public long beatCount() {
        return beats.sum();
    }
}

package io.cairn.server.naming.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.UnhealthyCause;
import io.cairn.server.naming.view.RegisteredInstance;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.naming.view.ServiceTally;
import io.netty.util.Timeout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A service: publications, settings, overrides. A change only marks the entry; the snapshot is made on demand. Each method takes
 * this lock briefly. A retired entry accepts no changes.
 *
 * <p>Lock order: a {@link Publisher}'s lock precedes this one. No method takes another lock, and listeners run after its release.
 */
public final class ServiceEntry {

    private final ServiceKey key;
    private final LongAdder total;
    private final ReturningClients returning;

    @GuardedBy("this")
    private boolean retired;

    @GuardedBy("this")
    private final ServicePublications publications = new ServicePublications(this);

    @GuardedBy("this")
    private final OwnerlessPublications ownerless = new OwnerlessPublications(this, publications, this::ended);

    @GuardedBy("this")
    private final OverriddenInstances overrides = new OverriddenInstances(this);

    @GuardedBy("this")
    private final ServiceContents contents = new ServiceContents(publications, overrides);

    @GuardedBy("this")
    private final HeldKind kind;

    /** Written with this lock held, read without it. */
    private volatile List<Ended> ended = List.of();

    @GuardedBy("this")
    private int instances;

    @GuardedBy("this")
    private @Nullable Timeout cleaning;

    /**
     * @param total counts all instances
     * @param returning counts registrations that end instances without a client
     */
    public ServiceEntry(ServiceKey key, boolean ephemeral, LongAdder total, ReturningClients returning) {
        this.key = key;
        this.total = total;
        this.returning = returning;
        this.kind = new HeldKind(publications, ephemeral);
    }

    public ServiceKey key() {
        return key;
    }

    /** The effect of a change on the service. */
    public enum Outcome {
        /** No consumer sees a difference. */
        NONE,
        CHANGED,
        /** The first instance. */
        APPEARED,
        /** The last instance has gone. */
        EMPTIED,
        /** The entry was retired meanwhile; the caller gets a new one. */
        RETIRED
    }

    /**
     * An own publication without an owner and instances.
     *
     * @param by the instance's new publisher; null after a deregistration
     */
    record Ended(Publication publication, @Nullable Publisher by) {}

    /** Removes and returns them. */
    List<Ended> takeEnded() {
        if (ended.isEmpty()) {
            return List.of();
        }
        synchronized (this) {
            List<Ended> taken = ended;
            ended = List.of();
            return taken;
        }
    }

    /**
     * Replaces the publisher's instances. A persistent instance is stored, and makes the service persistent. Ephemeral ones
     * accepted at the same time stay until their clients end.
     *
     * @param publishedAt the registration's time
     * @param renews whether an equal registration counts as later
     * @throws CairnException {@code INVALID_PARAMETER} for an ephemeral publisher of a persistent service
     */
    public synchronized Outcome publish(
            Publication publication, List<Instance> published, long publishedAt, long nowMillis, boolean renews) {
        if (retired) {
            return Outcome.RETIRED;
        }
        Publisher publisher = publication.publisher();
        if (publisher.isEphemeral()) {
            takeKind(true);
        } else if (kind.becomePersistent()) {
            contents.changed();
        }
        Publication before = publications.of(publisher);
        boolean same = before == publication && publication.says(published);
        if (same && !renews) {
            return Outcome.NONE;
        }
        RegisteredInstance[] registered = overrides.registered(published, publishedAt, before, nowMillis);
        int had = before == null ? 0 : before.size();
        if (before != null) {
            ownerless.notOwner(before);
        }
        publication.replace(this, registered);
        publication.publishedAt(this, publishedAt);
        publications.put(publication);
        int superseded = 0;
        if (publication.isOwned()) {
            superseded = superseded(publication);
        } else {
            ownerless.replace(before, publication);
        }
        return same && superseded == 0 && publications.count() == 1
                ? Outcome.NONE
                : changed(registered.length - had - superseded);
    }

    /** Ends instances without an owner that this owner names; returns their number. */
    @GuardedBy("this")
    private int superseded(Publication publication) {
        int superseded = ownerless.published(publication);
        if (superseded > 0) {
            publication.returned(this);
            returning.returned();
        }
        return superseded;
    }

    /**
     * Publishes another publication's only instance here, with its time; no effect if that has ended.
     *
     * @throws CairnException as {@link #publish}
     */
    public synchronized Outcome adopt(Publication publication, Publication from, long nowMillis) {
        if (retired || !publications.contains(from)) {
            return Outcome.NONE;
        }
        overrides.decode(from);
        return from.size() != 1
                ? Outcome.NONE
                : publish(publication, List.of(from.registered()[0].published()), from.publishedAt(), nowMillis, true);
    }

    /**
     * Shows another node's instances, also of the other kind, because their owner has accepted them.
     *
     * @param replaced the publisher's former publication, or null
     */
    public synchronized Outcome mirror(Publication publication, @Nullable Publication replaced, long nowMillis) {
        if (retired) {
            return Outcome.RETIRED;
        }
        if (kind.becomeEphemeralIfFree()) {
            contents.changed();
        }
        Publication before = replaced != null && replaced.isListed() ? replaced : null;
        if (!publication.isOwned()) {
            ownerless.indexOwners();
        }
        int had = 0;
        if (before != null) {
            had = before.size();
            ownerless.withdrawn(before);
        }
        boolean isRead = before != null && !before.isEncoded();
        if (isRead || !publication.isOwned() || !overrides.isEmpty()) {
            publication.replace(
                    this,
                    overrides.registered(
                            publication.decode(), publication.publishedAt(), isRead ? before : null, nowMillis));
        }
        if (publication.isOwned()) {
            publications.list(publication, before);
            int superseded = superseded(publication);
            boolean same =
                    before != null && superseded == 0 && publications.count() == 1 && before.wasSentAs(publication);
            return same ? Outcome.NONE : changed(publication.size() - had - superseded);
        }
        int published = publication.size();
        ownerless.endSuperseded(publication);
        boolean hasEnded = published > 0 && publication.size() == 0;
        if (!hasEnded) {
            publications.list(publication, before);
            ownerless.add(publication);
        } else if (before != null) {
            publications.drop(before);
        }
        ownerless.forgetOwners();
        return hasEnded && before == null ? Outcome.NONE : changed(publication.size() - had);
    }

    /** Removes the owner. Instances of an owner with the same or a later time end at once. No effect on an ended publication. */
    public synchronized Outcome disown(Publication publication) {
        if (!publications.contains(publication) || !publication.isOwned()) {
            return Outcome.NONE;
        }
        ownerless.indexOwners();
        ownerless.withdrawn(publication);
        publication.disown(this);
        overrides.decode(publication);
        ownerless.add(publication);
        int had = publication.size();
        Publication owner = ownerless.endSuperseded(publication);
        if (had > 0 && publication.size() == 0) {
            ownerless.withdrawn(publication);
            publications.drop(publication);
            ended(publication, owner == null ? null : owner.publisher());
        }
        ownerless.forgetOwners();
        return publication.size() == had ? Outcome.NONE : changed(publication.size() - had);
    }

    /** A publication without an owner lost its last instance; called with the lock held. */
    private void ended(Publication publication, @Nullable Publisher by) {
        assert Thread.holdsLock(this) : "a publication of " + key + " ends without its lock";
        if (publication.publisher().isOwn()) {
            List<Ended> all = new ArrayList<>(ended);
            all.add(new Ended(publication, by));
            ended = all;
        }
    }

    /**
     * Ends the instance in publications without an owner, in any cluster.
     *
     * @param latest later publications stay
     */
    public synchronized Outcome forgetRecovered(InstanceKey instance, long latest) {
        int forgotten = ownerless.forget(
                known -> known.ip().equals(instance.ip()) && known.port() == instance.port(), latest, null);
        return forgotten == 0 ? Outcome.NONE : changed(-forgotten);
    }

    /**
     * Ends instances without an owner that an owner names.
     *
     * @param latest later ones stay
     */
    public synchronized Outcome forgetRecoveredWithOwner(long latest) {
        int forgotten = ownerless.forgetWithOwner(latest);
        return forgotten == 0 ? Outcome.NONE : changed(-forgotten);
    }

    @GuardedBy("this")
    private void takeKind(boolean asEphemeral) {
        if (kind.take(key, asEphemeral)) {
            contents.changed();
        }
    }

    /**
     * Holds the kind during a write, until {@link #release}. False when retired.
     *
     * @throws CairnException as {@link #publish}
     */
    public synchronized boolean reserve(boolean asEphemeral) {
        if (retired) {
            return false;
        }
        takeKind(asEphemeral);
        kind.reserve();
        return true;
    }

    public synchronized void release() {
        kind.release();
    }

    public synchronized Outcome withdraw(Publication publication) {
        // Its publisher may have published again.
        if (!publications.contains(publication) || !publications.drop(publication)) {
            return Outcome.NONE;
        }
        ownerless.withdrawn(publication);
        ownerless.forgetOwners();
        return changed(-publication.size());
    }

    /**
     * @param instance null for all
     * @param cause null if healthy
     */
    public synchronized Outcome setHealthy(
            Publication publication,
            @Nullable InstanceKey instance,
            boolean healthy,
            long nowMillis,
            @Nullable UnhealthyCause cause) {
        if (publications.of(publication.publisher()) != publication) {
            return Outcome.NONE;
        }
        return publication.setHealthy(this, instance, healthy, nowMillis, cause) ? changed(0) : Outcome.NONE;
    }

    public synchronized Outcome configure(@Nullable ServiceSettings now) {
        if (retired) {
            return Outcome.RETIRED;
        }
        kind.configure(now);
        return changed(0);
    }

    public synchronized Outcome override(InstanceKey instance, InstanceOverride now) {
        if (retired) {
            return Outcome.RETIRED;
        }
        if (!overrides.set(instance, now)) {
            return Outcome.NONE;
        }
        overrides.layOn(publications.all());
        return changed(0);
    }

    /** They are no longer stored. */
    public synchronized Outcome forgetStored() {
        if (retired || !hasStored()) {
            return Outcome.NONE;
        }
        kind.configure(null);
        overrides.clear();
        overrides.layOn(publications.all());
        return changed(0);
    }

    @GuardedBy("this")
    private Outcome changed(int more) {
        contents.changed();
        int before = instances;
        instances += more;
        total.add(more);
        if (before == 0 && instances > 0) {
            return Outcome.APPEARED;
        }
        return before > 0 && instances == 0 ? Outcome.EMPTIED : Outcome.CHANGED;
    }

    /** Labels of addresses have changed. */
    synchronized Outcome relabelled() {
        ServiceSettings settings = kind.settings();
        return settings != null && settings.selector().selects() ? changed(0) : Outcome.NONE;
    }

    /**
     * The present state; the same object while no consumer sees a difference.
     *
     * @param labels read under the lock, so that the last {@link #relabelled} counts
     */
    public synchronized ServiceSnapshot snapshot(long nowMillis, CurrentLabels labels) {
        return contents.snapshot(key, nowMillis, kind, labels);
    }

    /**
     * As {@link #snapshot}, with a recent time.
     *
     * @param maxAgeMillis of the time; the content is always present
     */
    ServiceSnapshot recentSnapshot(long nowMillis, long maxAgeMillis, CurrentLabels labels) {
        ServiceSnapshot taken = snapshot(nowMillis, labels);
        if (nowMillis - taken.refMillis() <= maxAgeMillis) {
            return taken;
        }
        synchronized (this) {
            ServiceSnapshot known = snapshot(nowMillis, labels);
            return nowMillis - known.refMillis() > maxAgeMillis ? contents.at(known, nowMillis) : known;
        }
    }

    /** Without a kept snapshot. */
    synchronized ServiceTally tally() {
        return contents.tally(kind.settings());
    }

    /** Whether the publisher's instance is equal except for its health. */
    public synchronized boolean publishesButForHealth(Publisher publisher, Instance instance) {
        Publication publication = publications.of(publisher);
        return publication != null
                && publication.registered().length == 1
                && publication
                        .registered()[0]
                        .published()
                        .withHealthy(instance.healthy())
                        .equals(instance);
    }

    /** Without a kept snapshot. */
    public synchronized List<Instance> instances() {
        return contents.instances();
    }

    /** Decoded. */
    public synchronized List<Publication> publications() {
        List<Publication> shown = new ArrayList<>(publications.all());
        for (Publication publication : shown) {
            overrides.decode(publication);
        }
        return shown;
    }

    /** Whether a publisher names the instance. */
    synchronized boolean lists(InstanceKey instance) {
        for (Publication publication : publications.all()) {
            overrides.decode(publication);
            for (RegisteredInstance each : publication.registered()) {
                if (each.published().key().equals(instance)) {
                    return true;
                }
            }
        }
        return false;
    }

    public synchronized List<Publication> ownPublications() {
        return publications.own();
    }

    public synchronized int instanceCount() {
        return instances;
    }

    public synchronized boolean hasPublishers() {
        return publications.count() > 0;
    }

    public synchronized @Nullable ServiceSettings storedSettings() {
        return kind.settings();
    }

    public synchronized Map<InstanceKey, InstanceOverride> overrides() {
        return overrides.all();
    }

    /** Instances with an override, published since the last call. */
    synchronized Set<InstanceKey> takeReturned() {
        return overrides.takeReturned();
    }

    synchronized boolean hasOverrides() {
        return !overrides.isEmpty();
    }

    public synchronized InstanceOverride override(InstanceKey instance) {
        return overrides.of(instance);
    }

    /**
     * As {@link #retireIfUnused}, after the time of an empty service. A created persistent service stays. The kind is read under
     * the lock, because the service may just be created as persistent.
     */
    synchronized boolean retireIfExpired() {
        return retireIfUnused(kind.isEphemeral());
    }

    /** Retires an entry without publisher and running write. */
    public synchronized boolean retireIfUnused(boolean evenWithSettings) {
        if (retired) {
            return false;
        }
        if (kind.isUsed() || kind.settings() != null && !evenWithSettings) {
            return false;
        }
        retired = true;
        return true;
    }

    /** Whether it has stored settings or overrides. */
    public synchronized boolean hasStored() {
        return kind.settings() != null || !overrides.isEmpty();
    }

    synchronized boolean isRetired() {
        return retired;
    }

    /** Replaces the time-out that retires an unused entry. */
    synchronized void cleanedBy(Timeout timeout) {
        if (cleaning != null) {
            cleaning.cancel();
        }
        cleaning = timeout;
    }
}

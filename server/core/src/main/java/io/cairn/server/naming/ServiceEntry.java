package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.netty.util.Timeout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A service: its publications, settings and overrides. A change only marks the entry; the snapshot is made when it is
 * requested. Every method takes this object's lock for a moment. A retired entry accepts no more changes.
 *
 * <p>Lock order: the lock of a {@link Publisher} is taken before this lock. No method of this class takes another lock,
 * and {@link NamingService} calls its listeners after this lock was released.
 */
final class ServiceEntry {

    private final ServiceKey key;
    private final LongAdder total;

    @GuardedBy("this")
    private boolean retired;

    @GuardedBy("this")
    private final ServicePublications publications = new ServicePublications(this);

    @GuardedBy("this")
    private final OwnerlessPublications ownerless = new OwnerlessPublications(this, publications);

    @GuardedBy("this")
    private final OverriddenInstances overrides = new OverriddenInstances(this);

    @GuardedBy("this")
    private final ServiceContents contents = new ServiceContents(publications, overrides);

    @GuardedBy("this")
    private final HeldKind kind;

    /** Written with this object's lock held, read without it. */
    private volatile List<Ended> ended = List.of();

    @GuardedBy("this")
    private int instances;

    @GuardedBy("this")
    private @Nullable Timeout cleaning;

    /** @param total counts the instances of all services */
    ServiceEntry(ServiceKey key, boolean ephemeral, LongAdder total) {
        this.key = key;
        this.total = total;
        this.kind = new HeldKind(publications, ephemeral);
    }

    ServiceKey key() {
        return key;
    }

    /** The effect of a change on the service as a whole. */
    enum Outcome {
        /** No consumer sees a difference. */
        NONE,
        CHANGED,
        /** It has its first instance. */
        APPEARED,
        /** The service has lost its last instance. */
        EMPTIED,
        /** The entry was given up meanwhile; the caller takes a new one. */
        RETIRED
    }

    /**
     * An own publication without an owner has lost its last instance.
     *
     * @param by the publisher that has published that instance; null when its client has deregistered it
     */
    record Ended(Publication publication, @Nullable Publisher by) {}

    /** The publications of this node that have ended so since this was called last. */
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
     * Replaces the publisher's instances of this service. A persistent instance is stored, by this node or another one,
     * and makes the service persistent. Ephemeral instances that this node has accepted at the same time stay until
     * their clients end.
     *
     * @param publishedAt the time of the registration
     * @param renews whether a registration of the same instances counts as a later one
     * @throws CairnException {@code INVALID_PARAMETER} if the publisher is ephemeral and the service persistent
     */
    synchronized Outcome publish(
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
        RegisteredInstance[] hosted = overrides.registered(published, publishedAt, before, nowMillis);
        int had = before == null ? 0 : before.size();
        if (before != null) {
            ownerless.notOwner(before);
        }
        publication.replace(this, hosted);
        publication.publishedAt(this, publishedAt);
        publications.put(publication);
        int superseded = 0;
        if (publication.isOwned()) {
            superseded = ownerless.published(publication);
        } else {
            ownerless.replace(before, publication);
        }
        return same && superseded == 0 && publications.count() == 1
                ? Outcome.NONE
                : changed(hosted.length - had - superseded);
    }

    /**
     * Publishes here the only instance of another publication, at the same time of registration. Does nothing when that one has ended.
     *
     * @throws CairnException as {@link #publish}
     */
    synchronized Outcome adopt(Publication publication, Publication from, long nowMillis) {
        if (retired || !publications.contains(from)) {
            return Outcome.NONE;
        }
        overrides.decode(from);
        return from.size() != 1
                ? Outcome.NONE
                : publish(publication, List.of(from.hosted()[0].published()), from.publishedAt(), nowMillis, true);
    }

    /**
     * Shows the instances of a publisher of another node. A service of the other kind accepts them as well, because the
     * owner has accepted them.
     *
     * @param replaced the publisher's former publication; null if there was none
     */
    synchronized Outcome mirror(Publication publication, @Nullable Publication replaced, long nowMillis) {
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
            int superseded = ownerless.published(publication);
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

    /**
     * The publication no longer has an owner. Its instances that a publication with an owner names, from the same time or later, end at
     * once. Does nothing when it has ended already.
     */
    synchronized Outcome disown(Publication publication) {
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

    /** A publication without an owner has lost its last instance; called with the lock held. */
    void ended(Publication publication, @Nullable Publisher by) {
        assert Thread.holdsLock(this) : "a publication of " + key + " ends without its lock";
        if (publication.publisher().isOwn()) {
            List<Ended> all = new ArrayList<>(ended);
            all.add(new Ended(publication, by));
            ended = all;
        }
    }

    /**
     * Ends the instance in all publications without an owner, in any cluster.
     *
     * @param latest publications with a later time stay
     */
    synchronized Outcome forgetRecovered(InstanceKey instance, long latest) {
        int forgotten = ownerless.forget(
                known -> known.ip().equals(instance.ip()) && known.port() == instance.port(), latest, null);
        return forgotten == 0 ? Outcome.NONE : changed(-forgotten);
    }

    /**
     * Ends the instances without an owner that a publication with an owner names.
     *
     * @param latest those that were published later stay
     */
    synchronized Outcome forgetRecoveredWithOwner(long latest) {
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
     * Holds the kind while something is being stored; to be followed by {@link #release}. False when retired.
     *
     * @throws CairnException as {@link #publish}
     */
    synchronized boolean reserve(boolean asEphemeral) {
        if (retired) {
            return false;
        }
        takeKind(asEphemeral);
        kind.reserve();
        return true;
    }

    synchronized void release() {
        kind.release();
    }

    synchronized Outcome withdraw(Publication publication) {
        // Its publisher may have published again since.
        if (!publications.contains(publication) || !publications.drop(publication)) {
            return Outcome.NONE;
        }
        ownerless.withdrawn(publication);
        ownerless.forgetOwners();
        return changed(-publication.size());
    }

    /**
     * @param instance null for all of the publication
     * @param cause why it is not healthy; null when it is
     */
    synchronized Outcome setHealthy(
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

    synchronized Outcome configure(@Nullable ServiceSettings now) {
        if (retired) {
            return Outcome.RETIRED;
        }
        kind.configure(now);
        return changed(0);
    }

    synchronized Outcome override(InstanceKey instance, InstanceOverride now) {
        if (retired) {
            return Outcome.RETIRED;
        }
        if (!overrides.set(instance, now)) {
            return Outcome.NONE;
        }
        overrides.layOn(publications.all());
        return changed(0);
    }

    /** Removes the settings and overrides, because they are no longer stored. */
    synchronized Outcome forgetStored() {
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

    /** Addresses have other labels than before. */
    synchronized Outcome relabelled() {
        ServiceSettings settings = kind.settings();
        return settings != null && settings.selector().selects() ? changed(0) : Outcome.NONE;
    }

    /**
     * The current state of the service; the same object as before while no consumer would see a difference.
     *
     * @param labels read under the lock, so that those of the last {@link #relabelled} are used
     */
    synchronized ServiceSnapshot snapshot(long nowMillis, CurrentLabels labels) {
        return contents.snapshot(key, nowMillis, kind, labels);
    }

    /**
     * As {@link #snapshot}, but with a time that is not older than that.
     *
     * @param maxAgeMillis maximum age of the snapshot's time; its content is always the current one
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

    /** Its instances counted, without a snapshot that would be kept. */
    synchronized ServiceTally tally() {
        return contents.tally(kind.settings());
    }

    /** Whether the publisher says just this, but perhaps that it is healthy or not. */
    synchronized boolean publishesButForHealth(Publisher publisher, Instance instance) {
        Publication publication = publications.of(publisher);
        return publication != null
                && publication.hosted().length == 1
                && publication
                        .hosted()[0]
                        .published()
                        .withHealthy(instance.healthy())
                        .equals(instance);
    }

    /** The instances as consumers see them, without a snapshot that would be kept. */
    synchronized List<Instance> instances() {
        return contents.instances();
    }

    /** All publications, decoded. */
    synchronized List<Publication> publications() {
        List<Publication> shown = new ArrayList<>(publications.all());
        for (Publication publication : shown) {
            overrides.decode(publication);
        }
        return shown;
    }

    /** The publications of this node. */
    synchronized List<Publication> ownPublications() {
        return publications.own();
    }

    synchronized int instanceCount() {
        return instances;
    }

    synchronized boolean hasPublishers() {
        return publications.count() > 0;
    }

    synchronized @Nullable ServiceSettings storedSettings() {
        return kind.settings();
    }

    synchronized Map<InstanceKey, InstanceOverride> overrides() {
        return overrides.all();
    }

    /** The instances with an override that were published since this was called last. */
    synchronized Set<InstanceKey> takeReturned() {
        return overrides.takeReturned();
    }

    synchronized boolean hasOverrides() {
        return !overrides.isEmpty();
    }

    synchronized InstanceOverride override(InstanceKey instance) {
        return overrides.of(instance);
    }

    /**
     * As {@link #retireIfUnused}, after the time that an empty service is kept. A persistent service that was created stays. The
     * kind is looked up under the lock: between the look and the retirement, the service may be created as a persistent one.
     */
    synchronized boolean retireIfExpired() {
        return retireIfUnused(kind.isEphemeral());
    }

    /** Gives the entry up if nothing holds it: no publisher, nothing being stored. */
    synchronized boolean retireIfUnused(boolean evenWithSettings) {
        if (retired) {
            return false;
        }
        if (kind.isUsed() || kind.settings() != null && !evenWithSettings) {
            return false;
        }
        retired = true;
        return true;
    }

    /** Whether it has settings or overrides that are stored. */
    synchronized boolean hasStored() {
        return kind.settings() != null || !overrides.isEmpty();
    }

    synchronized boolean isRetired() {
        return retired;
    }

    /** Keeps the time-out that gives the entry up if it is still unused then; the one before is taken off. */
    synchronized void cleanedBy(Timeout timeout) {
        if (cleaning != null) {
            cleaning.cancel();
        }
        cleaning = timeout;
    }
}

package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.naming.label.AddressLabels;
import io.netty.util.Timeout;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
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
    private boolean ephemeral;

    @GuardedBy("this")
    private boolean retired;

    @GuardedBy("this")
    private int reservations;

    @GuardedBy("this")
    private @Nullable ServiceSettings settings;

    @GuardedBy("this")
    private final Map<Publisher, Publication> publications = new LinkedHashMap<>(4);
    /** Those of other nodes, in a list because that takes a tenth of the memory. */
    @GuardedBy("this")
    private final List<Publication> mirrored = new ArrayList<>(0);
    /**
     * Publications without an owner: from before a restart, left by a connection that moved, or of a node that has
     * left.
     */
    @GuardedBy("this")
    private final List<Publication> recovered = new ArrayList<>(0);
    /** Null while none is looked for. */
    @GuardedBy("this")
    private @Nullable InstanceOwners owners;
    /** Written with this object's lock held, read without it. */
    private volatile List<Ended> ended = List.of();

    @GuardedBy("this")
    private final Map<InstanceKey, InstanceOverride> overrides = new HashMap<>(0);
    /** Instances with an override that were published since the last check of the overrides. */
    @GuardedBy("this")
    private Set<InstanceKey> returned = new HashSet<>(0);

    @GuardedBy("this")
    private int instances;

    /** Whether something has changed since the snapshot was made. */
    @GuardedBy("this")
    private boolean stale;

    @GuardedBy("this")
    private @Nullable ServiceSnapshot snapshot;

    @GuardedBy("this")
    private @Nullable Timeout cleaning;

    /** @param total counts the instances of all services */
    ServiceEntry(ServiceKey key, boolean ephemeral, LongAdder total) {
        this.key = key;
        this.ephemeral = ephemeral;
        this.total = total;
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
        } else {
            becomePersistent();
        }
        Publication before = publications.get(publisher);
        boolean same = before == publication && says(publication, published);
        if (same && !renews) {
            return Outcome.NONE;
        }
        RegisteredInstance[] hosted = registered(published, publishedAt, before, nowMillis);
        int had = before == null ? 0 : before.size();
        if (before != null && owners != null) {
            owners.remove(before);
        }
        publication.replace(this, hosted);
        publication.publishedAt(this, publishedAt);
        publications.put(publisher, publication);
        int superseded = 0;
        if (publication.isOwned()) {
            superseded = owned(publication);
        } else {
            recovered.remove(before);
            recovered.add(publication);
        }
        return same && superseded == 0 && count() == 1 ? Outcome.NONE : changed(hosted.length - had - superseded);
    }

    /**
     * Publishes here the only instance of another publication, at the same time of registration. Does nothing when that one has ended.
     *
     * @throws CairnException as {@link #publish}
     */
    synchronized Outcome adopt(Publication publication, Publication from, long nowMillis) {
        if (retired || !isListed(from)) {
            return Outcome.NONE;
        }
        decode(from);
        return from.size() != 1
                ? Outcome.NONE
                : publish(publication, List.of(from.hosted()[0].published()), from.publishedAt(), nowMillis, true);
    }

    @GuardedBy("this")
    private RegisteredInstance[] registered(
            List<Instance> published, long publishedAt, @Nullable Publication before, long nowMillis) {
        RegisteredInstance[] hosted = new RegisteredInstance[published.size()];
        for (int i = 0; i < hosted.length; i++) {
            Instance instance = published.get(i);
            InstanceOverride override = overrides.get(instance.key());
            if (override != null) {
                returned.add(instance.key());
            }
            hosted[i] = hosted(instance, override, publishedAt, i, before, nowMillis);
        }
        return hosted;
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
        if (isFree() && !ephemeral) {
            ephemeral = true;
            stale = true;
        }
        Publication before = replaced != null && replaced.isListed() ? replaced : null;
        if (!publication.isOwned()) {
            indexOwners();
        }
        int had = 0;
        if (before != null) {
            had = before.size();
            unlist(before);
        }
        boolean isRead = before != null && !before.isEncoded();
        if (isRead || !publication.isOwned() || !overrides.isEmpty()) {
            publication.replace(
                    this,
                    registered(publication.decode(), publication.publishedAt(), isRead ? before : null, nowMillis));
        }
        if (publication.isOwned()) {
            list(publication, before);
            int superseded = owned(publication);
            boolean same = before != null && superseded == 0 && count() == 1 && sameInstances(before, publication);
            return same ? Outcome.NONE : changed(publication.size() - had - superseded);
        }
        int published = publication.size();
        endSuperseded(publication);
        boolean hasEnded = published > 0 && publication.size() == 0;
        if (!hasEnded) {
            list(publication, before);
            recovered.add(publication);
        } else if (before != null) {
            drop(before);
        }
        forgetOwners();
        return hasEnded && before == null ? Outcome.NONE : changed(publication.size() - had);
    }

    /** Adds a publication of another node, in place of the one before. */
    @GuardedBy("this")
    private void list(Publication publication, @Nullable Publication before) {
        if (before == null) {
            mirrored.add(publication);
        } else {
            mirrored.set(mirrored.indexOf(before), publication);
            before.listed(this, false);
        }
        publication.listed(this, true);
    }

    /** Removes the publication from those that are shown; false when it is not among them. */
    @GuardedBy("this")
    private boolean drop(Publication publication) {
        if (publication.publisher().isOwn()) {
            return publications.remove(publication.publisher(), publication);
        }
        publication.listed(this, false);
        return mirrored.remove(publication);
    }

    @GuardedBy("this")
    @SuppressWarnings("ReferenceEquality") // this publication, not one like it
    private boolean isListed(Publication publication) {
        return publication.publisher().isOwn()
                ? publications.get(publication.publisher()) == publication
                : publication.isListed();
    }

    /** How many publications are shown. */
    @GuardedBy("this")
    private int count() {
        return publications.size() + mirrored.size();
    }

    /**
     * All publications that are shown. The own ones are last: of two from the same time the last one counts, and an own one that was
     * adopted is newer than the one that it was adopted from.
     */
    @GuardedBy("this")
    private Collection<Publication> all() {
        if (mirrored.isEmpty()) {
            return publications.values();
        }
        List<Publication> all = new ArrayList<>(count());
        all.addAll(mirrored);
        all.addAll(publications.values());
        return all;
    }

    private static boolean sameInstances(Publication before, Publication now) {
        MirroredPublication one = before.source();
        MirroredPublication other = now.source();
        return before.isOwned()
                && one != null
                && other != null
                && one.instances().equals(other.instances());
    }

    /**
     * The publication no longer has an owner. Its instances that a publication with an owner names, from the same time or later, end at
     * once. Does nothing when it has ended already.
     */
    synchronized Outcome disown(Publication publication) {
        if (!isListed(publication) || !publication.isOwned()) {
            return Outcome.NONE;
        }
        indexOwners();
        unlist(publication);
        publication.disown(this);
        decode(publication);
        recovered.add(publication);
        int had = publication.size();
        Publication owner = endSuperseded(publication);
        if (had > 0 && publication.size() == 0) {
            unlist(publication);
            drop(publication);
            ended(publication, owner == null ? null : owner.publisher());
        }
        forgetOwners();
        return publication.size() == had ? Outcome.NONE : changed(publication.size() - had);
    }

    /** Ends the instances that a publication with an owner names, from the same time or later; returns one such. */
    @GuardedBy("this")
    private @Nullable Publication endSuperseded(Publication publication) {
        InstanceOwners index = owners;
        if (index == null) {
            return null;
        }
        Publication owner = null;
        List<RegisteredInstance> left = new ArrayList<>(publication.size());
        for (RegisteredInstance each : publication.hosted()) {
            Publication other = index.since(each.published().key(), publication.publishedAt());
            if (other == null) {
                left.add(each);
            } else {
                owner = other;
            }
        }
        if (owner != null) {
            publication.replace(this, left.toArray(new RegisteredInstance[0]));
        }
        return owner;
    }

    /** From here on until no publication without an owner is left, the owners of all instances are known. */
    @GuardedBy("this")
    private void indexOwners() {
        if (owners == null) {
            InstanceOwners index = new InstanceOwners();
            for (Publication each : all()) {
                if (each.isOwned()) {
                    index.add(each);
                }
            }
            owners = index;
        }
    }

    @GuardedBy("this")
    private void forgetOwners() {
        if (recovered.isEmpty()) {
            owners = null;
        }
    }

    /** To be called when an owner has published; returns how many other instances have ended with that. */
    @GuardedBy("this")
    private int owned(Publication publication) {
        if (owners != null) {
            owners.add(publication);
        }
        if (recovered.isEmpty()) {
            return 0;
        }
        // An instance that its own publisher has registered need not be remembered any more.
        Set<InstanceKey> keys = new HashSet<>(publication.size() * 2);
        InstanceOwners.forEachKey(publication, keys::add);
        return forgetRecovered(keys::contains, publication.publishedAt(), publication.publisher());
    }

    /** Takes the publication from the lists beside that of all. */
    @GuardedBy("this")
    private void unlist(Publication publication) {
        if (publication.isOwned()) {
            if (owners != null) {
                owners.remove(publication);
            }
        } else {
            recovered.remove(publication);
        }
    }

    @GuardedBy("this")
    private void ended(Publication publication, @Nullable Publisher by) {
        if (publication.publisher().isOwn()) {
            List<Ended> all = new ArrayList<>(ended);
            all.add(new Ended(publication, by));
            ended = all;
        }
    }

    @GuardedBy("this")
    private void decode(Publication publication) {
        if (publication.isEncoded()) {
            publication.replace(this, registered(publication.decode(), publication.publishedAt(), null, 0));
        }
    }

    /**
     * A registration that does not change the health keeps its start and cause, if the instance has the same place in
     * the publication.
     */
    private static RegisteredInstance hosted(
            Instance instance,
            @Nullable InstanceOverride override,
            long publishedAt,
            int place,
            @Nullable Publication before,
            long nowMillis) {
        if (before != null && place < before.size()) {
            RegisteredInstance was = before.hosted()[place];
            if (was.published().equals(instance)) {
                return was.registeredAgain(override, publishedAt);
            }
            if (was.published().healthy() == instance.healthy()
                    && was.published().key().equals(instance.key())) {
                return new RegisteredInstance(
                        instance, override, publishedAt, was.healthSinceMillis(), was.unhealthyCause());
            }
        }
        return new RegisteredInstance(instance, override, publishedAt, nowMillis, null);
    }

    private static boolean says(Publication publication, List<Instance> published) {
        RegisteredInstance[] hosted = publication.hosted();
        if (hosted.length != published.size()) {
            return false;
        }
        for (int i = 0; i < hosted.length; i++) {
            if (!hosted[i].published().equals(published.get(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Ends the instance in all publications without an owner, in any cluster.
     *
     * @param latest publications with a later time stay
     */
    synchronized Outcome forgetRecovered(InstanceKey instance, long latest) {
        if (recovered.isEmpty()) {
            return Outcome.NONE;
        }
        int forgotten = forgetRecovered(
                known -> known.ip().equals(instance.ip()) && known.port() == instance.port(), latest, null);
        return forgotten == 0 ? Outcome.NONE : changed(-forgotten);
    }

    /**
     * Ends the instances without an owner that a publication with an owner names.
     *
     * @param latest those that were published later stay
     */
    synchronized Outcome forgetRecoveredWithOwner(long latest) {
        if (recovered.isEmpty()) {
            return Outcome.NONE;
        }
        indexOwners();
        InstanceOwners index = owners;
        int forgotten = index == null ? 0 : forgetRecovered(known -> index.since(known, latest) != null, latest, null);
        return forgotten == 0 ? Outcome.NONE : changed(-forgotten);
    }

    /** Returns the number of removed instances. A publication that is empty then has no publisher any more. */
    @GuardedBy("this")
    private int forgetRecovered(Predicate<InstanceKey> isBack, long latest, @Nullable Publisher by) {
        int forgotten = 0;
        for (Iterator<Publication> all = recovered.iterator(); all.hasNext(); ) {
            Publication publication = all.next();
            if (publication.publishedAt() > latest || !names(publication, isBack)) {
                continue;
            }
            List<RegisteredInstance> left = new ArrayList<>(publication.size());
            for (RegisteredInstance remembered : publication.hosted()) {
                if (!isBack.test(remembered.published().key())) {
                    left.add(remembered);
                }
            }
            forgotten += publication.size() - left.size();
            publication.replace(this, left.toArray(new RegisteredInstance[0]));
            if (left.isEmpty()) {
                all.remove();
                drop(publication);
                ended(publication, by);
            }
        }
        forgetOwners();
        return forgotten;
    }

    private static boolean names(Publication publication, Predicate<InstanceKey> isWanted) {
        for (RegisteredInstance each : publication.hosted()) {
            if (isWanted.test(each.published().key())) {
                return true;
            }
        }
        return false;
    }

    @GuardedBy("this")
    private void takeKind(boolean asEphemeral) {
        if (ephemeral == asEphemeral) {
            return;
        }
        if (!isFree()) {
            throw new NamingException(
                    NamingException.Fault.OTHER_KIND,
                    "errCode: 400, errMsg: Current service " + NamingWire.groupedName(key) + " is "
                            + (ephemeral ? "ephemeral" : "persistent") + " service, can't register "
                            + (asEphemeral ? "ephemeral" : "persistent") + " instance. ");
        }
        ephemeral = asEphemeral;
        stale = true;
    }

    @GuardedBy("this")
    private void becomePersistent() {
        if (ephemeral) {
            ephemeral = false;
            stale = true;
        }
    }

    /** Whether nothing holds the kind. */
    @GuardedBy("this")
    private boolean isFree() {
        return settings == null && reservations == 0 && count() == 0;
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
        reservations++;
        return true;
    }

    synchronized void release() {
        reservations--;
    }

    synchronized Outcome withdraw(Publication publication) {
        // Its publisher may have published again since.
        if (!isListed(publication) || !drop(publication)) {
            return Outcome.NONE;
        }
        unlist(publication);
        forgetOwners();
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
        if (publications.get(publication.publisher()) != publication) {
            return Outcome.NONE;
        }
        RegisteredInstance[] hosted = publication.hosted().clone();
        boolean differs = false;
        for (int i = 0; i < hosted.length; i++) {
            Instance published = hosted[i].published();
            if ((instance == null || published.key().equals(instance)) && published.healthy() != healthy) {
                hosted[i] = hosted[i].withHealthy(healthy, nowMillis, cause);
                differs = true;
            }
        }
        if (!differs) {
            return Outcome.NONE;
        }
        publication.replace(this, hosted);
        return changed(0);
    }

    synchronized Outcome configure(@Nullable ServiceSettings now) {
        if (retired) {
            return Outcome.RETIRED;
        }
        settings = now;
        if (now != null && count() == 0) {
            ephemeral = now.ephemeral();
        } else if (now != null && !now.ephemeral()) {
            becomePersistent();
        }
        return changed(0);
    }

    synchronized Outcome override(InstanceKey instance, InstanceOverride now) {
        if (retired) {
            return Outcome.RETIRED;
        }
        InstanceOverride before = now.isNone() ? overrides.remove(instance) : overrides.put(instance, now);
        if (now.equals(before == null ? InstanceOverride.NONE : before)) {
            return Outcome.NONE;
        }
        layOverrides();
        return changed(0);
    }

    /** Removes the settings and overrides, because they are no longer stored. */
    synchronized Outcome forgetStored() {
        if (retired || settings == null && overrides.isEmpty()) {
            return Outcome.NONE;
        }
        settings = null;
        overrides.clear();
        layOverrides();
        return changed(0);
    }

    @GuardedBy("this")
    private void layOverrides() {
        for (Publication publication : all()) {
            decode(publication);
            RegisteredInstance[] hosted = publication.hosted().clone();
            for (int i = 0; i < hosted.length; i++) {
                hosted[i] = hosted[i].with(overrides.get(hosted[i].published().key()));
            }
            publication.replace(this, hosted);
        }
    }

    @GuardedBy("this")
    private Outcome changed(int more) {
        stale = true;
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
        return settings != null && settings.selector().selects() ? changed(0) : Outcome.NONE;
    }

    /**
     * The current state of the service; the same object as before while no consumer would see a difference.
     *
     * @param labels read under the lock, so that those of the last {@link #relabelled} are used
     */
    synchronized ServiceSnapshot snapshot(long nowMillis, CurrentLabels labels) {
        ServiceSnapshot known = snapshot;
        if (known != null && !stale) {
            return known;
        }
        stale = false;
        RegisteredInstance[] hosted = hosted(true);
        ServiceSettings held = settings != null ? settings : ServiceSettings.ofKind(ephemeral);
        AddressLabels present = labels.get();
        if (known != null && known.showsTheSame(hosted, held, settings != null, present)) {
            return known;
        }
        long version = known == null ? 1 : known.version() + 1;
        long refMillis = known == null ? nowMillis : Math.max(nowMillis, known.refMillis() + 1);
        ServiceSnapshot built =
                new ServiceSnapshot(key, version, refMillis, held, settings != null, present, hosted, known);
        snapshot = built;
        return built;
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
            if (nowMillis - known.refMillis() > maxAgeMillis) {
                known = known.at(nowMillis);
                snapshot = known;
            }
            return known;
        }
    }

    /** Its instances counted, without a snapshot that would be kept. */
    synchronized ServiceTally tally() {
        int healthy = 0;
        int enabled = 0;
        int healthyEnabled = 0;
        RegisteredInstance[] all = hosted(false);
        for (RegisteredInstance hosted : all) {
            Instance instance = hosted.shown();
            healthy += instance.healthy() ? 1 : 0;
            enabled += instance.enabled() ? 1 : 0;
            healthyEnabled += instance.enabled() && instance.healthy() ? 1 : 0;
        }
        boolean isProtected = settings != null && settings.isProtected(enabled, healthyEnabled);
        return new ServiceTally(all.length, healthy, isProtected);
    }

    /**
     * All that is published; where two publishers name the same instance, as the later one says.
     *
     * @param keeps whether publications that were encoded stay decoded, because the service is read again and again
     */
    @GuardedBy("this")
    private RegisteredInstance[] hosted(boolean keeps) {
        if (count() == 1) {
            Publication first =
                    mirrored.isEmpty() ? publications.values().iterator().next() : mirrored.get(0);
            RegisteredInstance[] only = hosted(first, keeps);
            if (only.length <= 1) {
                return only;
            }
        }
        Map<InstanceKey, RegisteredInstance> all = new LinkedHashMap<>(Math.max(16, instances * 4 / 3 + 1));
        for (Publication publication : all()) {
            for (RegisteredInstance hosted : hosted(publication, keeps)) {
                all.merge(
                        hosted.published().key(),
                        hosted,
                        (one, other) -> one.publishedAt() > other.publishedAt() ? one : other);
            }
        }
        return all.values().toArray(new RegisteredInstance[0]);
    }

    @GuardedBy("this")
    private RegisteredInstance[] hosted(Publication publication, boolean keeps) {
        if (publication.isEncoded() && !keeps) {
            return registered(publication.decode(), publication.publishedAt(), null, 0);
        }
        decode(publication);
        return publication.hosted();
    }

    /** Whether the publisher says just this, but perhaps that it is healthy or not. */
    synchronized boolean publishesButForHealth(Publisher publisher, Instance instance) {
        Publication publication = publications.get(publisher);
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
        ServiceSnapshot known = snapshot;
        if (known != null && !stale) {
            return known.instances();
        }
        List<Instance> shown = new ArrayList<>(instances);
        for (RegisteredInstance hosted : hosted(false)) {
            shown.add(hosted.shown());
        }
        return shown;
    }

    /** All publications, decoded. */
    synchronized List<Publication> publications() {
        List<Publication> shown = new ArrayList<>(all());
        for (Publication publication : shown) {
            decode(publication);
        }
        return shown;
    }

    /** The publications of this node. */
    synchronized List<Publication> ownPublications() {
        return new ArrayList<>(publications.values());
    }

    synchronized int instanceCount() {
        return instances;
    }

    synchronized boolean hasPublishers() {
        return count() > 0;
    }

    synchronized @Nullable ServiceSettings storedSettings() {
        return settings;
    }

    synchronized Map<InstanceKey, InstanceOverride> overrides() {
        return Map.copyOf(overrides);
    }

    /** The instances with an override that were published since this was called last. */
    synchronized Set<InstanceKey> takeReturned() {
        Set<InstanceKey> taken = returned;
        returned = new HashSet<>(0);
        return taken;
    }

    synchronized boolean hasOverrides() {
        return !overrides.isEmpty();
    }

    synchronized InstanceOverride override(InstanceKey instance) {
        return overrides.getOrDefault(instance, InstanceOverride.NONE);
    }

    /**
     * As {@link #retireIfUnused}, after the time that an empty service is kept. A persistent service that was created stays. The
     * kind is looked up under the lock: between the look and the retirement, the service may be created as a persistent one.
     */
    synchronized boolean retireIfExpired() {
        return retireIfUnused(ephemeral);
    }

    /** Gives the entry up if nothing holds it: no publisher, nothing being stored. */
    synchronized boolean retireIfUnused(boolean evenWithSettings) {
        if (retired) {
            return false;
        }
        boolean held = count() > 0 || reservations > 0 || settings != null && !evenWithSettings;
        if (held) {
            return false;
        }
        retired = true;
        return true;
    }

    /** Whether it has settings or overrides that are stored. */
    synchronized boolean hasStored() {
        return settings != null || !overrides.isEmpty();
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

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
 * One service: who publishes what, and what operators have set. A change only notes that there is one; the snapshot is
 * made when somebody asks for it. Every method takes this object's lock for a moment. A retired entry takes nothing more.
 *
 * <p>Lock order: the lock of a {@link Publisher} is taken before this lock. No method of this class takes another lock, and
 * {@link NamingService} calls its listeners after this lock was released.
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
    /** Those of them that are known from before a restart. */
    @GuardedBy("this")
    private final List<Publication> recovered = new ArrayList<>(0);

    @GuardedBy("this")
    private final Map<InstanceKey, InstanceOverride> overrides = new HashMap<>(0);
    /** Those with an override that were published since somebody last asked. */
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
        /** Everybody would see the same as before. */
        NONE,
        CHANGED,
        /** It has its first instance. */
        APPEARED,
        /** Its last instance is gone. */
        EMPTIED,
        /** The entry was given up meanwhile; the caller takes a new one. */
        RETIRED
    }

    /**
     * Replaces what the publisher says about this service.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the service holds instances of the other kind
     */
    synchronized Outcome publish(Publication publication, List<Instance> published, long sequence, long nowMillis) {
        if (retired) {
            return Outcome.RETIRED;
        }
        Publisher publisher = publication.publisher();
        takeKind(publisher.isEphemeral());
        Publication before = publications.get(publisher);
        if (before == publication && says(publication, published)) {
            return Outcome.NONE;
        }
        RegisteredInstance[] hosted = new RegisteredInstance[published.size()];
        for (int i = 0; i < hosted.length; i++) {
            Instance instance = published.get(i);
            InstanceOverride override = overrides.get(instance.key());
            if (override != null) {
                returned.add(instance.key());
            }
            hosted[i] = hosted(instance, override, sequence, i, before, nowMillis);
        }
        int had = before == null ? 0 : before.hosted().length;
        publication.replace(this, hosted);
        publications.put(publisher, publication);
        if (publisher.kind() == Publisher.Kind.RECOVERED) {
            recovered.remove(before);
            recovered.add(publication);
        } else if (!recovered.isEmpty()) {
            // An instance that its own publisher has registered need not be remembered any more.
            Set<InstanceKey> keys = new HashSet<>(published.size() * 2);
            published.forEach(instance -> keys.add(instance.key()));
            had += forgetRecovered(keys::contains);
        }
        return changed(hosted.length - had);
    }

    /** Health that a registration leaves as it was goes on since it began, as far as the instance is where it was. */
    private static RegisteredInstance hosted(
            Instance instance,
            @Nullable InstanceOverride override,
            long sequence,
            int place,
            @Nullable Publication before,
            long nowMillis) {
        if (before != null && place < before.hosted().length) {
            RegisteredInstance was = before.hosted()[place];
            if (was.published().healthy() == instance.healthy()
                    && was.published().key().equals(instance.key())) {
                return new RegisteredInstance(
                        instance, override, sequence, was.healthSinceMillis(), was.unhealthyCause());
            }
        }
        return new RegisteredInstance(instance, override, sequence, nowMillis, null);
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

    synchronized Outcome forgetRecovered(InstanceKey instance) {
        if (recovered.isEmpty()) {
            return Outcome.NONE;
        }
        int forgotten = forgetRecovered(known -> known.ip().equals(instance.ip()) && known.port() == instance.port());
        return forgotten == 0 ? Outcome.NONE : changed(-forgotten);
    }

    /** Returns how many were forgotten. What is empty then is nobody's any more. */
    @GuardedBy("this")
    private int forgetRecovered(Predicate<InstanceKey> isBack) {
        int forgotten = 0;
        for (Iterator<Publication> all = recovered.iterator(); all.hasNext(); ) {
            Publication publication = all.next();
            List<RegisteredInstance> left = new ArrayList<>(publication.hosted().length);
            for (RegisteredInstance remembered : publication.hosted()) {
                if (!isBack.test(remembered.published().key())) {
                    left.add(remembered);
                }
            }
            forgotten += publication.hosted().length - left.size();
            publication.replace(this, left.toArray(new RegisteredInstance[0]));
            if (left.isEmpty()) {
                all.remove();
                publications.remove(publication.publisher());
            }
        }
        return forgotten;
    }

    @GuardedBy("this")
    private void takeKind(boolean asEphemeral) {
        if (ephemeral == asEphemeral) {
            return;
        }
        if (settings != null || reservations > 0 || !publications.isEmpty()) {
            throw new NamingException(
                    NamingException.Fault.OTHER_KIND,
                    "errCode: 400, errMsg: Current service " + NamingWire.groupedName(key) + " is "
                            + (ephemeral ? "ephemeral" : "persistent") + " service, can't register "
                            + (asEphemeral ? "ephemeral" : "persistent") + " instance. ");
        }
        ephemeral = asEphemeral;
        stale = true;
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
        // Its publisher may have published anew since.
        if (!publications.remove(publication.publisher(), publication)) {
            return Outcome.NONE;
        }
        recovered.remove(publication);
        return changed(-publication.hosted().length);
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
        if (now != null && publications.isEmpty()) {
            ephemeral = now.ephemeral();
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

    /** Forgets what operators have set, for it is no longer stored. */
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
        for (Publication publication : publications.values()) {
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
     * The service as it is now; the same object as before while nobody would see a difference.
     *
     * @param labels read under the lock, so that those of the last {@link #relabelled} are taken
     */
    synchronized ServiceSnapshot snapshot(long nowMillis, CurrentLabels labels) {
        ServiceSnapshot known = snapshot;
        if (known != null && !stale) {
            return known;
        }
        stale = false;
        RegisteredInstance[] hosted = hosted();
        ServiceSettings held = settings != null ? settings : ServiceSettings.ofKind(ephemeral);
        AddressLabels present = labels.get();
        if (known != null && known.showsTheSame(hosted, held, settings != null, present)) {
            return known;
        }
        long version = known == null ? 1 : known.version() + 1;
        long refMillis = known == null ? nowMillis : Math.max(nowMillis, known.refMillis() + 1);
        ServiceSnapshot built = new ServiceSnapshot(key, version, refMillis, held, settings != null, present, hosted);
        snapshot = built;
        return built;
    }

    /**
     * As {@link #snapshot}, but taken not longer ago than that.
     *
     * @param maxAgeMillis of the time that it is of; what is shown is always that of now
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
        RegisteredInstance[] all = hosted();
        for (RegisteredInstance hosted : all) {
            Instance instance = hosted.shown();
            healthy += instance.healthy() ? 1 : 0;
            enabled += instance.enabled() ? 1 : 0;
            healthyEnabled += instance.enabled() && instance.healthy() ? 1 : 0;
        }
        boolean isProtected = settings != null && settings.isProtected(enabled, healthyEnabled);
        return new ServiceTally(all.length, healthy, isProtected);
    }

    /** All that is published; where two publishers name the same instance, as the later one says. */
    @GuardedBy("this")
    private RegisteredInstance[] hosted() {
        if (publications.size() == 1) {
            RegisteredInstance[] only = publications.values().iterator().next().hosted();
            if (only.length <= 1) {
                return only;
            }
        }
        Map<InstanceKey, RegisteredInstance> all = new LinkedHashMap<>(Math.max(16, instances * 4 / 3 + 1));
        for (Publication publication : publications.values()) {
            for (RegisteredInstance hosted : publication.hosted()) {
                all.merge(
                        hosted.published().key(),
                        hosted,
                        (one, other) -> one.sequence() > other.sequence() ? one : other);
            }
        }
        return all.values().toArray(new RegisteredInstance[0]);
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
        for (RegisteredInstance hosted : hosted()) {
            shown.add(hosted.shown());
        }
        return shown;
    }

    synchronized List<Publication> publications() {
        return new ArrayList<>(publications.values());
    }

    synchronized int instanceCount() {
        return instances;
    }

    synchronized boolean hasPublishers() {
        return !publications.isEmpty();
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
        boolean held = !publications.isEmpty() || reservations > 0 || settings != null && !evenWithSettings;
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

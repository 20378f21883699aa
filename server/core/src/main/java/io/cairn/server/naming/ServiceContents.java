package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.label.AddressLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The list of a service, made of its publications when it is requested and kept until something changes. Used with the lock of the
 * service held.
 */
final class ServiceContents {

    /** More versions than these in a millisecond would come up to those of the next entry of the same name. */
    private static final int VERSIONS_PER_MILLISECOND = 1_000;

    private final ServicePublications publications;
    private final OverriddenInstances overrides;
    /** Whether something has changed since the snapshot was made. */
    private boolean stale;

    private @Nullable ServiceSnapshot snapshot;
    /** The last list in which no instance is named twice; see {@link MergedInstances}. */
    private RegisteredInstance @Nullable [] distinct;

    ServiceContents(ServicePublications publications, OverriddenInstances overrides) {
        this.publications = publications;
        this.overrides = overrides;
    }

    void changed() {
        stale = true;
    }

    /** The current state; the same object as before while no consumer would see a difference. */
    ServiceSnapshot snapshot(ServiceKey key, long nowMillis, HeldKind kind, CurrentLabels labels) {
        ServiceSnapshot known = snapshot;
        if (known != null && !stale) {
            return known;
        }
        stale = false;
        RegisteredInstance[] hosted = hosted(true);
        ServiceSettings held = kind.settingsOrDefaults();
        boolean hasSettings = kind.settings() != null;
        AddressLabels present = labels.get();
        if (known != null && known.showsTheSame(hosted, held, hasSettings, present)) {
            return known;
        }
        // An entry that is made again must not count as one that has changed: its versions are later ones.
        long version = known == null ? nowMillis * VERSIONS_PER_MILLISECOND : known.version() + 1;
        long refMillis = known == null ? nowMillis : Math.max(nowMillis, known.refMillis() + 1);
        ServiceSnapshot built = new ServiceSnapshot(key, version, refMillis, held, hasSettings, present, hosted, known);
        snapshot = built;
        return built;
    }

    /** The snapshot with another time. */
    ServiceSnapshot at(ServiceSnapshot known, long nowMillis) {
        ServiceSnapshot again = known.at(nowMillis);
        snapshot = again;
        return again;
    }

    /** The instances counted, without a snapshot that would be kept. */
    ServiceTally tally(@Nullable ServiceSettings settings) {
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

    /** The instances as consumers see them, without a snapshot that would be kept. */
    List<Instance> instances() {
        ServiceSnapshot known = snapshot;
        if (known != null && !stale) {
            return known.instances();
        }
        RegisteredInstance[] all = hosted(false);
        List<Instance> shown = new ArrayList<>(all.length);
        for (RegisteredInstance hosted : all) {
            shown.add(hosted.shown());
        }
        return shown;
    }

    /**
     * All that is published; where two publishers name the same instance, as the later one says.
     *
     * @param keeps whether publications that were encoded stay decoded, because the service is read again and again
     */
    private RegisteredInstance[] hosted(boolean keeps) {
        RegisteredInstance[] joined = joined(keeps);
        RegisteredInstance[] merged = MergedInstances.of(joined, distinct);
        if (keeps) {
            distinct = merged == joined ? joined : null;
        }
        return merged;
    }

    /** The instances of one publication after the other. */
    private RegisteredInstance[] joined(boolean keeps) {
        Collection<Publication> all = publications.all();
        if (all.size() == 1) {
            return hosted(all.iterator().next(), keeps);
        }
        int size = 0;
        for (Publication publication : all) {
            size += publication.size();
        }
        RegisteredInstance[] joined = new RegisteredInstance[size];
        int next = 0;
        for (Publication publication : all) {
            RegisteredInstance[] part = hosted(publication, keeps);
            System.arraycopy(part, 0, joined, next, part.length);
            next += part.length;
        }
        return joined;
    }

    private RegisteredInstance[] hosted(Publication publication, boolean keeps) {
        if (publication.isEncoded() && !keeps) {
            return overrides.decoded(publication);
        }
        overrides.decode(publication);
        return publication.hosted();
    }
}

package io.cairn.server.naming.registry;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.view.MergedInstances;
import io.cairn.server.naming.view.RegisteredInstance;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.naming.view.ServiceTally;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A service's list, made of its publications on demand and kept until a change. Guarded by the lock of the service. */
final class ServiceContents {

    /** A higher rate would reach the versions of the name's next entry. */
    private static final int VERSIONS_PER_MILLISECOND = 1_000;

    private final ServicePublications publications;
    private final OverriddenInstances overrides;
    /** Whether anything has changed since the snapshot. */
    private boolean stale;

    private @Nullable ServiceSnapshot snapshot;
    /** The last distinct list; see {@link MergedInstances}. */
    private RegisteredInstance @Nullable [] distinct;

    ServiceContents(ServicePublications publications, OverriddenInstances overrides) {
        this.publications = publications;
        this.overrides = overrides;
    }

    void changed() {
        stale = true;
    }

    /** The present state; the same object while no consumer sees a difference. */
    ServiceSnapshot snapshot(ServiceKey key, long nowMillis, HeldKind kind, CurrentLabels labels) {
        ServiceSnapshot known = snapshot;
        if (known != null && !stale) {
            return known;
        }
        stale = false;
        RegisteredInstance[] registered = registered(true);
        ServiceSettings held = kind.settingsOrDefaults();
        boolean hasSettings = kind.settings() != null;
        AddressLabels present = labels.get();
        if (known != null && known.showsTheSame(registered, held, hasSettings, present)) {
            return known;
        }
        // A recreated entry must count as changed: its versions are later.
        long version = known == null ? nowMillis * VERSIONS_PER_MILLISECOND : known.version() + 1;
        long refMillis = known == null ? nowMillis : Math.max(nowMillis, known.refMillis() + 1);
        ServiceSnapshot built =
                new ServiceSnapshot(key, version, refMillis, held, hasSettings, present, registered, known);
        snapshot = built;
        return built;
    }

    ServiceSnapshot at(ServiceSnapshot known, long nowMillis) {
        ServiceSnapshot again = known.at(nowMillis);
        snapshot = again;
        return again;
    }

    /** Without a kept snapshot. */
    ServiceTally tally(@Nullable ServiceSettings settings) {
        int healthy = 0;
        int enabled = 0;
        int healthyEnabled = 0;
        RegisteredInstance[] all = registered(false);
        for (RegisteredInstance registered : all) {
            Instance instance = registered.shown();
            healthy += instance.healthy() ? 1 : 0;
            enabled += instance.enabled() ? 1 : 0;
            healthyEnabled += instance.enabled() && instance.healthy() ? 1 : 0;
        }
        boolean isProtected = settings != null && settings.isProtected(enabled, healthyEnabled);
        return new ServiceTally(all.length, healthy, isProtected);
    }

    /** Without a kept snapshot. */
    List<Instance> instances() {
        ServiceSnapshot known = snapshot;
        if (known != null && !stale) {
            return known.instances();
        }
        RegisteredInstance[] all = registered(false);
        List<Instance> shown = new ArrayList<>(all.length);
        for (RegisteredInstance registered : all) {
            shown.add(registered.shown());
        }
        return shown;
    }

    /**
     * All published instances; of two publishers the later counts.
     *
     * @param keeps whether decoded publications stay decoded, for a service with repeated reads
     */
    private RegisteredInstance[] registered(boolean keeps) {
        RegisteredInstance[] joined = joined(keeps);
        RegisteredInstance[] merged = MergedInstances.of(joined, distinct);
        if (keeps) {
            distinct = merged == joined ? joined : null;
        }
        return merged;
    }

    private RegisteredInstance[] joined(boolean keeps) {
        Collection<Publication> all = publications.all();
        if (all.size() == 1) {
            return registered(all.iterator().next(), keeps);
        }
        int size = 0;
        for (Publication publication : all) {
            size += publication.size();
        }
        RegisteredInstance[] joined = new RegisteredInstance[size];
        int next = 0;
        for (Publication publication : all) {
            RegisteredInstance[] part = registered(publication, keeps);
            System.arraycopy(part, 0, joined, next, part.length);
            next += part.length;
        }
        return joined;
    }

    private RegisteredInstance[] registered(Publication publication, boolean keeps) {
        if (publication.isEncoded() && !keeps) {
            return overrides.decoded(publication);
        }
        overrides.decode(publication);
        return publication.registered();
    }
}

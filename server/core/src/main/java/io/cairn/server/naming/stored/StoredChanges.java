package io.cairn.server.naming.stored;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.group.MirroredPublications;
import io.cairn.server.naming.lease.HttpLeases;
import io.cairn.server.naming.registry.HealthChanges;
import io.cairn.server.naming.registry.Publication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.Registrations;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.ServiceEntry;
import io.cairn.server.naming.view.RegisteredInstance;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Applies committed changes to the registry: persistent instances, settings, overrides. */
public final class StoredChanges {

    private final Registry registry;
    private final Registrations registrations;
    private final HttpLeases leases;
    private final HealthChanges health;
    private final MirroredPublications mirrored;

    StoredChanges(
            Registry registry,
            Registrations registrations,
            HttpLeases leases,
            HealthChanges health,
            MirroredPublications mirrored) {
        this.registry = registry;
        this.registrations = registrations;
        this.leases = leases;
        this.health = health;
        this.mirrored = mirrored;
    }

    public void applyPersistent(ServiceKey service, Instance instance) {
        registrations.publishAs(Publisher.Kind.PERSISTENT, service, instance, null, Registrations.NOW);
        if (mirrored.isFoundUnhealthy(service, instance.key())) {
            health.showChecked(service, instance.key(), false);
        }
    }

    /** Whether the published values are equal except for the health. */
    boolean showsButForHealth(ServiceKey service, Instance instance) {
        Publisher publisher = registry.publisher(Registry.persistentId(instance.key()));
        ServiceEntry entry = registry.find(service);
        return publisher != null && entry != null && entry.publishesButForHealth(publisher, instance);
    }

    public void removePersistent(ServiceKey service, InstanceKey instance) {
        Publisher publisher = registry.publisher(Registry.persistentId(instance));
        if (publisher != null) {
            // The caller counts the loss with its cause once it is stored.
            registrations.deregister(publisher, service, null);
        }
        mirrored.forgetCheck(service, instance);
    }

    public void applySettings(ServiceKey service, ServiceSettings now) {
        changeEntry(service, now.ephemeral(), entry -> entry.configure(now));
    }

    void applyOverride(ServiceKey service, InstanceKey instance, InstanceOverride now) {
        if (!now.isNone() || registry.find(service) != null) {
            changeEntry(service, true, entry -> entry.override(instance, now));
            leases.followOverride(service, instance);
        }
    }

    /** Passes the writes that remove shown, unstored data. */
    void forgetUnstored(
            Set<ServiceKey> stored,
            Map<ServiceKey, Set<InstanceKey>> instances,
            Map<ServiceKey, Set<InstanceKey>> overrides,
            Consumer<NamingWrite> takeBack) {
        for (ServiceEntry entry : registry.services().all()) {
            forgetUnstored(entry.key(), stored, instances, overrides, takeBack);
        }
    }

    /** As above, of one service. */
    void forgetUnstored(
            ServiceKey service,
            Set<ServiceKey> stored,
            Map<ServiceKey, Set<InstanceKey>> instances,
            Map<ServiceKey, Set<InstanceKey>> overrides,
            Consumer<NamingWrite> takeBack) {
        ServiceEntry entry = registry.find(service);
        if (entry == null) {
            return;
        }
        for (Publication publication : entry.ownPublications()) {
            if (publication.publisher().kind() == Publisher.Kind.PERSISTENT) {
                for (RegisteredInstance registered : publication.registered()) {
                    InstanceKey key = registered.published().key();
                    if (!instances.getOrDefault(service, Set.of()).contains(key)) {
                        takeBack.accept(new NamingWrite.RemoveInstance(service, key));
                    }
                }
            }
        }
        for (InstanceKey key : entry.overrides().keySet()) {
            if (!overrides.getOrDefault(service, Set.of()).contains(key)) {
                takeBack.accept(new NamingWrite.SaveOverride(service, key, InstanceOverride.NONE));
            }
        }
        if (entry.storedSettings() != null && !stored.contains(service)) {
            registry.notifyListeners(entry, entry.configure(null));
            registry.cleanLater(entry);
        }
    }

    void removeService(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        if (entry == null) {
            return;
        }
        if (entry.retireIfUnused(true)) {
            registry.removed(entry);
        } else {
            // An instance registered meanwhile stays; settings and overrides go.
            registry.notifyListeners(entry, entry.forgetStored());
        }
    }

    private interface EntryChange {
        ServiceEntry.Outcome on(ServiceEntry entry);
    }

    private void changeEntry(ServiceKey service, boolean ephemeral, EntryChange change) {
        ServiceEntry entry;
        ServiceEntry.Outcome outcome;
        do {
            entry = registry.findOrAdd(service, ephemeral);
            outcome = change.on(entry);
        } while (outcome == ServiceEntry.Outcome.RETIRED);
        registry.notifyListeners(entry, outcome);
        if (!entry.hasPublishers()) {
            registry.cleanLater(entry);
        }
    }

    /** Holds the kind until {@link ServiceEntry#release}. */
    ServiceEntry reserve(ServiceKey service, boolean ephemeral) {
        while (true) {
            ServiceEntry entry = registry.findOrAdd(service, ephemeral);
            if (entry.reserve(ephemeral)) {
                return entry;
            }
        }
    }

    void release(ServiceEntry entry) {
        entry.release();
        registry.cleanLater(entry);
    }

    /** Another node's result no longer counts. */
    void checkedHere(ServiceKey service, InstanceKey instance) {
        mirrored.forgetCheck(service, instance);
    }

    /** A stored removal of a persistent instance. A stopping server keeps no trace. */
    void lost(ServiceKey service, LossCause cause, InstanceKey instance) {
        if (!registry.isFrozen()) {
            registry.losses().lost(service, cause, 1, instance);
        }
    }
}

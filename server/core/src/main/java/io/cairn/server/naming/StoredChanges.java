package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Applies stored changes to the registry after their commit: persistent instances, settings and overrides. Thread-safe.
 */
final class StoredChanges {

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

    void applyPersistent(ServiceKey service, Instance instance) {
        registrations.publishAs(Publisher.Kind.PERSISTENT, service, instance, null, Registrations.NOW);
        if (mirrored.isFoundUnhealthy(service, instance.key())) {
            health.showChecked(service, instance.key(), false);
        }
    }

    /** Whether the instance is published with the same values, except for its health. */
    boolean showsButForHealth(ServiceKey service, Instance instance) {
        Publisher publisher = registry.publisher(Registry.persistentId(instance.key()));
        ServiceEntry entry = registry.find(service);
        return publisher != null && entry != null && entry.publishesButForHealth(publisher, instance);
    }

    void removePersistent(ServiceKey service, InstanceKey instance) {
        Publisher publisher = registry.publisher(Registry.persistentId(instance));
        if (publisher != null) {
            // The caller knows the cause, and counts the loss once it is stored.
            registrations.deregister(publisher, service, null);
        }
        mirrored.forgetCheck(service, instance);
    }

    void applySettings(ServiceKey service, ServiceSettings now) {
        changeEntry(service, now.ephemeral(), entry -> entry.configure(now));
    }

    void applyOverride(ServiceKey service, InstanceKey instance, InstanceOverride now) {
        if (!now.isNone() || registry.find(service) != null) {
            changeEntry(service, true, entry -> entry.override(instance, now));
            leases.followOverride(service, instance);
        }
    }

    /**
     * Finds everything that is shown though it is not stored any more, and passes the write that removes it to the
     * consumer.
     */
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
                for (RegisteredInstance hosted : publication.hosted()) {
                    InstanceKey key = hosted.published().key();
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
            registry.tell(entry, entry.configure(null));
            registry.cleanLater(entry);
        }
    }

    /** Removes a service without instances. */
    void removeService(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        if (entry == null) {
            return;
        }
        if (entry.retireIfUnused(true)) {
            registry.removed(entry);
        } else {
            // An instance was registered meanwhile. It stays; the settings and overrides of the service are removed.
            registry.tell(entry, entry.forgetStored());
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
        registry.tell(entry, outcome);
        if (!entry.hasPublishers()) {
            registry.cleanLater(entry);
        }
    }

    /** The entry with its kind held until {@link ServiceEntry#release}. */
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

    /** This node checks the persistent instance now, so the result of another node no longer counts. */
    void checkedHere(ServiceKey service, InstanceKey instance) {
        mirrored.forgetCheck(service, instance);
    }

    /** A persistent instance was removed and that was stored. A server that stops keeps no trace of it. */
    void lost(ServiceKey service, LossCause cause, InstanceKey instance) {
        if (!registry.isFrozen()) {
            registry.losses().lost(service, cause, 1, instance);
        }
    }
}

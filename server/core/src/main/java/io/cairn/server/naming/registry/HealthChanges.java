package io.cairn.server.naming.registry;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.UnhealthyCause;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Changes the health of this node's instances. */
public final class HealthChanges {

    private final Registry registry;
    private final Map<UnhealthyCause, LongAdder> unhealthy = new EnumMap<>(UnhealthyCause.class);

    public HealthChanges(Registry registry) {
        this.registry = registry;
        for (UnhealthyCause cause : UnhealthyCause.values()) {
            unhealthy.put(cause, new LongAdder());
        }
    }

    /** Shows a check's result, of any node. */
    public void showChecked(ServiceKey service, InstanceKey instance, boolean healthy) {
        Instance known = persistent(service, instance);
        if (known != null) {
            setHealthy(service, known.key(), healthy, UnhealthyCause.CHECK);
        }
    }

    /** Sets the health of an instance of this node by hand; does nothing where there is no such instance. */
    public void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy) {
        setHealthy(service, instance, healthy, UnhealthyCause.OPERATOR);
    }

    /** Sets the health of an instance of this node; does nothing where there is no such instance. */
    public void setHealthy(ServiceKey service, InstanceKey instance, boolean healthy, UnhealthyCause cause) {
        ServiceEntry entry = registry.find(service);
        if (entry != null) {
            for (Publication publication : entry.ownPublications()) {
                Publisher publisher = publication.publisher();
                ServiceEntry.Outcome outcome;
                synchronized (publisher) {
                    outcome = entry.setHealthy(
                            publication, instance, healthy, registry.nowMillis(), healthy ? null : cause);
                    registry.recordIfChanged(publication, service, outcome);
                }
                if (!healthy && outcome != ServiceEntry.Outcome.NONE) {
                    countUnhealthy(cause);
                }
                registry.notifyListeners(entry, outcome);
            }
        }
    }

    public long unhealthyCount(UnhealthyCause cause) {
        LongAdder count = unhealthy.get(cause);
        return count == null ? 0 : count.sum();
    }

    public void countUnhealthy(UnhealthyCause cause) {
        LongAdder count = unhealthy.get(cause);
        if (count != null) {
            count.increment();
        }
    }

    /** The persistent instance at that address, or null. */
    public @Nullable Instance persistent(ServiceKey service, InstanceKey address) {
        Publisher publisher = registry.publisher(Registry.persistentId(address));
        if (publisher == null) {
            return null;
        }
        synchronized (publisher) {
            Publication publication = publisher.publication(service);
            return publication == null || publication.registered().length == 0
                    ? null
                    : publication.registered()[0].published();
        }
    }
}

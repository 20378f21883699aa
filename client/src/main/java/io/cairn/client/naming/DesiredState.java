package io.cairn.client.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The instances that this client wants to be registered. A server stores one publication per connection and service, so the
 * client sends all instances of a service together. An instance with several holders has the values of the newest holder and
 * stays until the last holder removes it.
 */
final class DesiredState {

    @GuardedBy("this")
    private final Map<ServiceKey, Map<InstanceKey, Map<Object, Instance>>> services = new LinkedHashMap<>();

    /** Replaces the former values of this holder. */
    synchronized void put(ServiceKey service, Object holder, Collection<Instance> instances) {
        Map<InstanceKey, Map<Object, Instance>> present =
                services.computeIfAbsent(service, key -> new LinkedHashMap<>());
        for (Instance instance : instances) {
            present.computeIfAbsent(instance.key(), key -> new LinkedHashMap<>())
                    .put(holder, instance);
        }
    }

    synchronized void remove(ServiceKey service, Object holder) {
        Map<InstanceKey, Map<Object, Instance>> present = services.get(service);
        if (present != null) {
            present.values().forEach(holders -> holders.remove(holder));
            removeObsolete(service, present);
        }
    }

    synchronized void removeAll(ServiceKey service, InstanceKey instance) {
        Map<InstanceKey, Map<Object, Instance>> present = services.get(service);
        if (present != null) {
            present.remove(instance);
            removeObsolete(service, present);
        }
    }

    @GuardedBy("this")
    private void removeObsolete(ServiceKey service, Map<InstanceKey, Map<Object, Instance>> present) {
        present.values().removeIf(Map::isEmpty);
        if (present.isEmpty()) {
            services.remove(service);
        }
    }

    synchronized List<Instance> of(ServiceKey service) {
        List<Instance> all = new ArrayList<>();
        for (Map<Object, Instance> holders :
                services.getOrDefault(service, Map.of()).values()) {
            Instance newest = null;
            for (Instance each : holders.values()) {
                newest = each;
            }
            if (newest != null) {
                all.add(newest);
            }
        }
        return all;
    }

    synchronized List<ServiceKey> services() {
        return List.copyOf(services.keySet());
    }
}

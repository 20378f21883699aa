package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What this client wants to stand in the registry. A server keeps one publication for a connection and service, so all
 * instances of a service are sent together, whoever in this process has registered them. Thread-safe.
 */
final class DesiredState {

    private final Map<ServiceKey, Map<InstanceKey, Instance>> services = new LinkedHashMap<>();

    synchronized void put(ServiceKey service, Collection<Instance> instances) {
        Map<InstanceKey, Instance> present = services.computeIfAbsent(service, key -> new LinkedHashMap<>());
        instances.forEach(instance -> present.put(instance.key(), instance));
    }

    synchronized void remove(ServiceKey service, Collection<InstanceKey> instances) {
        Map<InstanceKey, Instance> present = services.get(service);
        if (present != null) {
            present.keySet().removeAll(instances);
            if (present.isEmpty()) {
                services.remove(service);
            }
        }
    }

    /** All instances of the service; empty when there should be none. */
    synchronized List<Instance> of(ServiceKey service) {
        return List.copyOf(services.getOrDefault(service, Map.of()).values());
    }

    synchronized List<ServiceKey> services() {
        return List.copyOf(services.keySet());
    }
}

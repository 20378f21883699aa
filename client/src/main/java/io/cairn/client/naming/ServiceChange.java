package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The difference between two lists of a service.
 *
 * @param removed instances in their last state
 * @param modified instances in their new state, with changed weight, health or metadata
 */
public record ServiceChange(
        ServiceView before, ServiceView now, List<Instance> added, List<Instance> removed, List<Instance> modified) {

    public ServiceChange {
        added = List.copyOf(added);
        removed = List.copyOf(removed);
        modified = List.copyOf(modified);
    }

    static ServiceChange between(ServiceView before, ServiceView now) {
        Map<InstanceKey, Instance> gone = new LinkedHashMap<>();
        before.instances().forEach(instance -> gone.put(instance.key(), instance));
        List<Instance> added = new ArrayList<>();
        List<Instance> modified = new ArrayList<>();
        for (Instance instance : now.instances()) {
            Instance former = gone.remove(instance.key());
            if (former == null) {
                added.add(instance);
            } else if (!former.equals(instance)) {
                modified.add(instance);
            }
        }
        return new ServiceChange(before, now, added, List.copyOf(gone.values()), modified);
    }

    ServiceChange then(ServiceChange later) {
        return between(before, later.now);
    }

    /** Whether the lists are equal, as in the first call for a service without instances. */
    public boolean isEmpty() {
        return added.isEmpty() && removed.isEmpty() && modified.isEmpty();
    }
}

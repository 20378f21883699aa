package io.cairn.cli.migrate;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Separates instances of clients from copies of a bridge. Pure. */
public final class Origin {

    public static final String MARK = "cairn.bridge.from";

    public static final String BRIDGES = "CAIRN_BRIDGE";

    private Origin() {}

    public static boolean isCopy(Instance instance) {
        return instance.metadata().containsKey(MARK);
    }

    static boolean isOfBridges(ServiceKey key) {
        return key.group().equals(BRIDGES);
    }

    static Instance copy(Instance instance, String from) {
        Map<String, String> metadata = new LinkedHashMap<>(instance.metadata());
        metadata.put(MARK, from);
        // A server checks persistent instances itself.
        boolean healthy = instance.healthy() || !instance.ephemeral();
        return instance.withMetadata(metadata).withHealthy(healthy).withId(null);
    }

    static Instance original(Instance copy) {
        Map<String, String> metadata = new LinkedHashMap<>(copy.metadata());
        metadata.remove(MARK);
        return copy.withMetadata(metadata);
    }

    /** @param own copies of this bridge; an operator may have removed the mark */
    static Map<InstanceKey, Instance> natives(
            ServiceState shown, Set<InstanceKey> own, Map<InstanceKey, Integer> publishers) {
        Map<InstanceKey, Integer> entries = new LinkedHashMap<>();
        shown.instances().forEach(instance -> entries.merge(instance.key(), 1, Integer::sum));
        Map<InstanceKey, Instance> natives = new LinkedHashMap<>();
        for (Instance instance : shown.instances()) {
            InstanceKey key = instance.key();
            boolean several = entries.getOrDefault(key, 0) > 1 || publishers.getOrDefault(key, 0) > 1;
            if (!isCopy(instance) && (!own.contains(key) || several)) {
                natives.put(key, instance);
            }
        }
        return natives;
    }

    static boolean isUncertain(ServiceState shown, Set<InstanceKey> own) {
        return shown.instances().stream().anyMatch(instance -> !isCopy(instance) && own.contains(instance.key()));
    }
}

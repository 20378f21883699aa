package io.cairn.server.xds.resource;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.List;

record LocalityKeys(String region, String zone) {

    /** @throws IllegalArgumentException for other than two keys */
    static LocalityKeys of(List<String> keys) {
        if (keys.size() != 2 || keys.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException(
                    "cairn.xds.locality-keys: " + keys + " (expected: two keys, of the region and of the zone)");
        }
        return new LocalityKeys(keys.get(0), keys.get(1));
    }

    /** The Nacos cluster is the default zone. */
    Locality of(Instance instance) {
        String itsRegion = instance.metadata().getOrDefault(region, "");
        String itsZone = instance.metadata().getOrDefault(zone, "");
        String cluster = instance.key().cluster();
        if (itsRegion.isEmpty() && itsZone.isEmpty() && !cluster.equals(InstanceKey.DEFAULT_CLUSTER)) {
            itsZone = cluster;
        }
        return new Locality(itsRegion, itsZone, "");
    }
}

package io.cairn.server.wiring;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The mesh edge: xDS for Envoy, MOSN and gRPC libraries.
 *
 * @param enabled whether it is served on the gRPC port
 * @param group of the configurations that are resources; empty for none
 * @param maxClusters that a client gets which names no services
 * @param localityKeys keys of instance metadata that name the region and the zone
 */
@ConfigurationProperties("cairn.xds")
record XdsProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("CAIRN_XDS") String group,
        @DefaultValue("2000") int maxClusters,
        @DefaultValue({"region", "zone"}) List<String> localityKeys) {

    XdsProperties {
        CairnProperties.inRange("xds.max-clusters", maxClusters, 1, 1_000_000);
        if (localityKeys.size() != 2) {
            throw CairnProperties.bad("xds.locality-keys", localityKeys, "two keys, of the region and of the zone");
        }
    }
}

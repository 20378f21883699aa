package io.cairn.server.mesh;

import java.util.Set;

/**
 * A stored resource, ready to send.
 *
 * @param value must not be modified
 * @param hash of the value
 * @param clusters the named clusters, by service name for endpoints over EDS
 * @param isApiListener whether it is a listener without a port, for gRPC clients; Envoy rejects it over xDS
 */
public record StoredResource(
        StoredName storedName, byte[] value, long hash, Set<String> clusters, boolean isApiListener) {

    public StoredResource {
        clusters = Set.copyOf(clusters);
    }

    public String typeUrl() {
        return storedName.kind().typeUrl();
    }

    public String name() {
        return storedName.name();
    }

    public String dataId() {
        return storedName.dataId();
    }
}

package io.cairn.server.mesh;

import java.util.Set;

/**
 * A resource that people wrote, ready to be sent.
 *
 * @param value the encoded resource; not to be written to
 * @param hash of the value
 * @param clusters the clusters that it names; for a cluster that gets its endpoints over EDS, the name of these
 */
public record StoredResource(StoredName storedName, byte[] value, long hash, Set<String> clusters) {

    public StoredResource {
        clusters = Set.copyOf(clusters);
    }

    public String typeUrl() {
        return storedName.kind().typeUrl();
    }

    public String name() {
        return storedName.name();
    }

    /** The dataId of its configuration. */
    public String dataId() {
        return storedName.dataId();
    }
}

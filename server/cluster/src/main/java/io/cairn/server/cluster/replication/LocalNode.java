package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeState;

/** Describes this node for the others. The methods are called every second, and return at once. */
public interface LocalNode {

    Description description();

    Load load();

    /**
     * @param grpcPort port for gRPC clients
     * @param groupPort port for the nodes of the group
     * @param settingsDigest digest of the settings that must agree on all nodes
     * @param keysFingerprint fingerprint of the keys that sign tokens
     */
    record Description(
            int grpcPort,
            int groupPort,
            String version,
            NodeState state,
            long settingsDigest,
            String keysFingerprint) {}

    /**
     * @param revision the last revision of the change log that this node shows
     * @param permille of one processor that this node has used in the last second
     */
    record Load(long revision, long connections, long permille) {}
}

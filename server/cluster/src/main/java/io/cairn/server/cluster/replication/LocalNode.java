package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeState;

/** Describes this node for the others. The methods are called every second and return at once. */
public interface LocalNode {

    Description description();

    Load load();

    default ClusterMessage.Heartbeat.Followed followed() {
        return ClusterMessage.Heartbeat.Followed.UNKNOWN;
    }

    /**
     * @param settingsDigest of the settings that must agree on all nodes
     * @param keysFingerprint of the keys that sign tokens
     */
    record Description(
            int grpcPort,
            int groupPort,
            String version,
            NodeState state,
            long settingsDigest,
            String keysFingerprint) {}

    /**
     * @param revision the last shown one
     * @param permille of one processor, used in the last second
     */
    record Load(long revision, long connections, long permille) {}
}

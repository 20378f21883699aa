package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import org.jspecify.annotations.Nullable;

/**
 * @param hello null before its arrival
 * @param heartbeat the last one, or null
 * @param incompatible whether there is no common protocol
 * @param clockIsOff whether its clock is too far ahead
 * @param isComplete whether all of its entries are here
 * @param copyCount publications and checks here
 * @param copySequence number of its last change here; -1 without a copy
 * @param sentSequence number of this node's last change sent to it
 * @param digestsEqual the last comparison with its copy; null before the first
 * @param behindMillis for how long its copy lacks announced changes
 * @param millisSinceDiffered of its copy; null for never
 * @param clockOffsetMillis how far the clock of its machine is ahead, or null
 */
public record PeerStatus(
        NodeId id,
        ClusterMessage.@Nullable Hello hello,
        ClusterMessage.@Nullable Heartbeat heartbeat,
        boolean incompatible,
        boolean clockIsOff,
        boolean isComplete,
        long copyCount,
        long copySequence,
        long sentSequence,
        @Nullable Boolean digestsEqual,
        long behindMillis,
        @Nullable Long millisSinceDiffered,
        @Nullable Long clockOffsetMillis) {

    /** Without a comparison of its copy. */
    public PeerStatus(
            NodeId id,
            ClusterMessage.@Nullable Hello hello,
            ClusterMessage.@Nullable Heartbeat heartbeat,
            boolean incompatible,
            boolean clockIsOff,
            boolean isComplete,
            long copyCount,
            long copySequence,
            long sentSequence) {
        this(
                id,
                hello,
                heartbeat,
                incompatible,
                clockIsOff,
                isComplete,
                copyCount,
                copySequence,
                sentSequence,
                null,
                0,
                null,
                null);
    }

    public long missing() {
        return heartbeat == null ? 0 : Math.max(0, heartbeat.sequence() - Math.max(0, copySequence));
    }

    public NodeState state() {
        return reportedBy(hello, heartbeat);
    }

    static NodeState reportedBy(ClusterMessage.@Nullable Hello hello, ClusterMessage.@Nullable Heartbeat heartbeat) {
        return heartbeat != null ? heartbeat.state() : hello != null ? hello.state() : NodeState.JOINING;
    }
}

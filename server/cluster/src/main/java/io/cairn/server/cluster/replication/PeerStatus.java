package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import org.jspecify.annotations.Nullable;

/**
 * A member as this node knows it.
 *
 * @param hello null until it has come
 * @param heartbeat the last one; null until one has come
 * @param incompatible whether it speaks no protocol that this node speaks
 * @param clockIsOff whether its clock is too far ahead to be followed
 * @param isComplete whether all that it owns is here
 * @param copyCount how many publications and checks of it are here
 * @param copySequence the number of its changes up to which they are here; -1 for none
 * @param sentSequence the number of this node's changes up to which they were sent to it
 * @param digestsEqual whether it and its copy had the same entries when they were last compared; null before the first time
 * @param behindMillis for how long its copy has not had all that it says it has; 0 when it has
 * @param millisSinceDiffered time since its copy last differed from what it owns; null for never
 * @param clockOffsetMillis how far the clock of its machine is ahead; null while it is not known
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

    /** How many of its changes are not here yet, as far as its last heartbeat says. */
    public long missing() {
        return heartbeat == null ? 0 : Math.max(0, heartbeat.sequence() - Math.max(0, copySequence));
    }

    /** As it has said last; joining before it has said anything. */
    public NodeState state() {
        return saidBy(hello, heartbeat);
    }

    /** As a member has said last; joining before it has said anything. */
    static NodeState saidBy(ClusterMessage.@Nullable Hello hello, ClusterMessage.@Nullable Heartbeat heartbeat) {
        return heartbeat != null ? heartbeat.state() : hello != null ? hello.state() : NodeState.JOINING;
    }
}

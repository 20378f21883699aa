package io.cairn.server.node;

import org.jspecify.annotations.Nullable;

/**
 * A node of the cluster as another node, or the node itself, knows it.
 *
 * @param address {@code host:port} of HTTP
 * @param presence whether it is reached
 * @param state as it has said last
 * @param version of its software; empty while it is not known
 * @param grpcPort port for gRPC clients; 0 while it is not known
 * @param groupPort port for the other nodes; 0 where there is none, or while it is not known
 * @param startedAt epoch milliseconds; 0 while it is not known
 * @param since epoch milliseconds from which it is in this state; 0 while it is not known
 * @param seenAt epoch milliseconds at which this node has heard of it last; 0 for never
 * @param connections clients over gRPC
 * @param revision the last one of the change log that it shows
 * @param owned publications that it owns
 * @param mirrored publications of other nodes that it has; for another node: those of it that this node has
 * @param behind changes of it that this node does not have yet; 0 for this node
 * @param reason why it is not in service, in words; null when it is
 */
public record NodeStatus(
        String address,
        Presence presence,
        NodeState state,
        String version,
        int grpcPort,
        int groupPort,
        long startedAt,
        long since,
        long seenAt,
        long connections,
        long revision,
        long owned,
        long mirrored,
        long behind,
        @Nullable String reason) {

    /** Whether a node is reached. */
    public enum Presence {
        /** A member of the group that answers; so is this node. */
        PRESENT,
        /** A member of the group that has sent nothing for some seconds. */
        SUSPECTED,
        /** Listed or known from before, and no member of the group. */
        ABSENT,
        /** A member of the group that speaks no common protocol. */
        INCOMPATIBLE
    }

    /** Whether it serves clients as far as this node knows. */
    public boolean isInService() {
        return presence == Presence.PRESENT && state == NodeState.READY;
    }

    public String host() {
        return address.substring(0, address.lastIndexOf(':'));
    }

    public int httpPort() {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }
}

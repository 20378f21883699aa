package io.cairn.server.node;

import org.jspecify.annotations.Nullable;

/**
 * A node by another node's knowledge, or its own. Unknown values are 0 or empty.
 *
 * @param address {@code host:port} of HTTP
 * @param state by its last statement
 * @param version of its software
 * @param startedAt epoch milliseconds
 * @param since epoch milliseconds of the state's begin
 * @param seenAt epoch milliseconds of its last heartbeat here; 0 for never
 * @param connections clients over gRPC
 * @param revision the last that it shows
 * @param owned its own publications
 * @param mirrored its publications of other nodes; for another node, its publications here
 * @param behind its changes missing here; 0 for this node
 * @param reason why it is not in service, or null
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
        /** A member that answers, or this node. */
        PRESENT,
        /** A member silent for some seconds. */
        SUSPECTED,
        /** A known node outside the group. */
        ABSENT,
        /** A member without a common protocol. */
        INCOMPATIBLE
    }

    /** As far as this node knows. */
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

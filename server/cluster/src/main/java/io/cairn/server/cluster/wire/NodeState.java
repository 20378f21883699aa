package io.cairn.server.cluster.wire;

/** The state of a node of the group. */
public enum NodeState {
    /** Its copies of the other nodes are not complete yet. */
    JOINING,
    /** In service. */
    READY,
    /** Asks its clients to move, because it is about to stop. */
    DRAINING,
    /** Has lost the larger part of the group. */
    ISOLATED
}

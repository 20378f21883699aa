package io.cairn.server.node;

/** The state of a node of the group, as the node says it of itself. */
public enum NodeState {
    /** Its copies of the other nodes are not complete: at the start, after a pause, and after it was cut off. */
    JOINING,
    /** In service. */
    READY,
    /** Asks its clients to move, because it is about to stop. */
    DRAINING,
    /** Has lost the larger part of the group. */
    ISOLATED
}

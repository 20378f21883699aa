package io.cairn.server.node;

/** The state of a node by its own statement. */
public enum NodeState {
    /** Its copies are incomplete: at the start, after a pause, and after a split. */
    JOINING,
    READY,
    /** Asks its clients to move before its stop. */
    DRAINING,
    /** Has lost the larger part of the group. */
    ISOLATED
}

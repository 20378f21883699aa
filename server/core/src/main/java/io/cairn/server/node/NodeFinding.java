package io.cairn.server.node;

/**
 * A problem of the cluster that an operator must solve.
 *
 * @param node the address of the affected node
 * @param detail the problem and its solution, in one line
 * @param cause the problem, for readers with texts of their own
 * @param number the figure in the detail, as defined by the cause; else 0
 */
public record NodeFinding(Kind kind, String node, String detail, Cause cause, long number) {

    /** The kinds of problems. */
    public enum Kind {
        /** A listed node is no member of the group. */
        NODE_AWAY,
        /** A node shows older contents than the others, or lacks instances of them. */
        NODE_BEHIND,
        /** Two nodes sign tokens with different keys. */
        KEYS_DIFFER,
        /** A setting that must agree on all nodes does not. */
        SETTINGS_DIFFER,
        /** The copy of a node's entries differed from the node within the last hour, and was repaired. */
        COPIES_DIFFER,
        /** The clock of a node is too far from this one's. */
        CLOCK_OFF
    }

    /** The causes of a kind that has several. */
    public enum Cause {
        /** The kind says it. */
        NONE,
        /** The node sends heartbeats, but its group port, the number, cannot be reached. */
        GROUP_PORT_UNREACHED,
        /** The node is named and does not run. */
        NOT_RUNNING,
        /** The node shows contents of more than this number of seconds ago. */
        CONTENTS_OLD,
        /** The node went into service after this number of seconds without all instances of the others. */
        INSTANCES_INCOMPLETE
    }

    /** Of a kind with one cause. */
    public NodeFinding(Kind kind, String node, String detail) {
        this(kind, node, detail, Cause.NONE, 0);
    }

    /** Whether clients are affected until it is solved. */
    public boolean isUrgent() {
        return kind == Kind.KEYS_DIFFER || kind == Kind.CLOCK_OFF;
    }
}

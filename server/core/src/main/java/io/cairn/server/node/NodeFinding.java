package io.cairn.server.node;

/**
 * A problem of the cluster that an operator has to solve.
 *
 * @param node the address of the node that it is about
 * @param detail what is wrong and what to do, in one line
 */
public record NodeFinding(Kind kind, String node, String detail) {

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
        /** The copy of what a node owns differed from it within the last hour, and was repaired. */
        COPIES_DIFFER,
        /** The clock of a node is too far from this one's. */
        CLOCK_OFF
    }

    /** Whether clients are affected until it is solved. */
    public boolean isUrgent() {
        return kind == Kind.KEYS_DIFFER || kind == Kind.CLOCK_OFF;
    }
}

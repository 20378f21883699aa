package io.cairn.server.node;

/**
 * A problem of the cluster for operators.
 *
 * @param node address of the affected node
 * @param detail problem and solution, in one line
 * @param cause for a front end with its own texts
 * @param number the port or seconds in the detail; else 0
 */
public record NodeFinding(Kind kind, String node, String detail, Cause cause, long number) {

    public enum Kind {
        /** A listed node is no member of the group. */
        NODE_AWAY,
        /** A node shows older contents than the others, or lacks instances of them. */
        NODE_BEHIND,
        /** Two nodes sign tokens with different keys. */
        KEYS_DIFFER,
        /** A setting that must agree on all nodes does not. */
        SETTINGS_DIFFER,
        /** Within the last hour a copy differed from its node, and was repaired. */
        COPIES_DIFFER,
        /** The clock of a node is too far from this one's. */
        CLOCK_OFF
    }

    /** The causes of a kind with several. */
    public enum Cause {
        NONE,
        /** It sends heartbeats, and its group port, the number, is unreachable. */
        GROUP_PORT_UNREACHED,
        /** It sends heartbeats, and encrypts with another key. */
        GROUP_KEY_DIFFERS,
        /** It is listed and does not run. */
        NOT_RUNNING,
        /** It shows contents older than this number of seconds. */
        CONTENTS_OLD,
        /** It went into service after this number of seconds without all instances. */
        INSTANCES_INCOMPLETE
    }

    /** For a kind with one cause. */
    public NodeFinding(Kind kind, String node, String detail) {
        this(kind, node, detail, Cause.NONE, 0);
    }

    /** Whether it affects clients. */
    public boolean isUrgent() {
        return kind == Kind.KEYS_DIFFER || kind == Kind.CLOCK_OFF;
    }
}

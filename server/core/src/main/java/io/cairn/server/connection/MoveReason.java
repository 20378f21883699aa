package io.cairn.server.connection;

import java.util.Locale;

/** The reasons for which a client is asked to connect to another server, or to reconnect to this one. */
public enum MoveReason {
    /** This node of a cluster is cut off from the larger part. */
    ISOLATED,
    /** This server stops, or an operator drains this node. */
    DRAINING,
    /** This node has more clients than the others. */
    REBALANCING,
    /** An operator has asked for it. */
    OPERATOR,
    /** The client listens to fewer configurations than it believes. */
    LOST_LISTENS;

    /** As it stands in the tag of a meter. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}

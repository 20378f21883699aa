package io.cairn.server.connection;

import java.util.Locale;

/** Why a client is asked to connect elsewhere, or to reconnect. */
public enum MoveReason {
    /** This node is cut off from the larger part. */
    ISOLATED,
    /** This server stops, or an operator drains it. */
    DRAINING,
    /** This node has more clients than the others. */
    REBALANCING,
    OPERATOR,
    /** The client listens to fewer configurations than it believes. */
    LOST_LISTENS;

    /** The tag of the meter. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}

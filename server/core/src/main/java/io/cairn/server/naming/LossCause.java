package io.cairn.server.naming;

/** Why an instance is no longer registered. */
public enum LossCause {
    /** No heartbeat in the permitted time. */
    EXPIRED("expired", "heartbeats missing", true),
    /** The connection of its client ended. */
    CONNECTION_CLOSED("connection_closed", "connection closed", false),
    DEREGISTERED("deregistered", "deregistered by its client", false),
    REMOVED("removed", "removed by an operator", false),
    /** From before a restart or a departure of its node, without a return of its client. */
    NOT_BACK("not_back", "not back after the restart", true);

    private final String tag;
    private final String text;
    private final boolean unexpected;

    LossCause(String tag, String text, boolean unexpected) {
        this.tag = tag;
        this.text = text;
        this.unexpected = unexpected;
    }

    /** The name in meters. */
    public String tag() {
        return tag;
    }

    public String text() {
        return text;
    }

    /** An unrequested loss, which is logged as a warning. */
    public boolean isUnexpected() {
        return unexpected;
    }
}

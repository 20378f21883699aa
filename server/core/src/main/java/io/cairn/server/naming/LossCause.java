package io.cairn.server.naming;

/** Why an instance is no longer registered. */
public enum LossCause {
    /** Its client sent no heartbeat for the time that the instance allows. */
    EXPIRED("expired", "heartbeats missing", true),
    /** The long connection of its client ended. */
    CONNECTION_CLOSED("connection_closed", "connection closed", false),
    /** Its client deregistered it. */
    DEREGISTERED("deregistered", "deregistered by its client", false),
    /** An operator removed it. */
    REMOVED("removed", "removed by an operator", false),
    /** It was known before the server restarted, and its client did not come back. */
    NOT_BACK("not_back", "not back after the restart", true);

    private final String tag;
    private final String text;
    private final boolean unexpected;

    LossCause(String tag, String text, boolean unexpected) {
        this.tag = tag;
        this.text = text;
        this.unexpected = unexpected;
    }

    /** As meters name it. */
    public String tag() {
        return tag;
    }

    /** In words. */
    public String text() {
        return text;
    }

    /** Whether the loss was not requested, so that a warning is logged. */
    boolean isUnexpected() {
        return unexpected;
    }
}

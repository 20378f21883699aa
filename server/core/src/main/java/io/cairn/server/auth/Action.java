package io.cairn.server.auth;

/** A kind of access to a resource. */
public enum Action {
    READ("r"),
    WRITE("w"),
    /** Draining instances; the right to write includes it. */
    DRAIN("drain");

    private final String stored;

    Action(String stored) {
        this.stored = stored;
    }

    /** In permissions. */
    public String stored() {
        return stored;
    }
}

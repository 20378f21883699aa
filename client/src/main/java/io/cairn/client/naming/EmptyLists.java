package io.cairn.client.naming;

/** What to do when a server says that a service which had instances has none. */
public enum EmptyLists {
    /** Believe it. */
    BELIEVE,
    /**
     * Believe it from the server that has sent the former list. After reconnecting, go on with the former list for the
     * holding time: a server that was just started has not heard of all instances yet.
     */
    HOLD_AFTER_RECONNECT,
    /** Always go on with the former list for the holding time. */
    HOLD
}

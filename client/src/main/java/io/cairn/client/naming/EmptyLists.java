package io.cairn.client.naming;

/** The treatment of a service that had instances and is now reported with none. */
public enum EmptyLists {
    /** Accept the empty list. */
    BELIEVE,
    /**
     * Accept the empty list from the server that sent the former list. After a reconnect, keep the former list for the
     * holding time: a server that was just started may not know all instances yet.
     */
    HOLD_AFTER_RECONNECT,
    /** Always keep the former list for the holding time. */
    HOLD
}

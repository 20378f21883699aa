package io.cairn.client.naming;

/** The treatment of an empty list from the server for a service that had instances. */
public enum EmptyLists {
    /** Accept the empty list. */
    BELIEVE,
    /**
     * Accept the empty list from the server that sent the former list. After a reconnect, keep the former list for the
     * holding time: a restarted server may not know all instances yet.
     */
    HOLD_AFTER_RECONNECT,
    /** Always keep the former list for the holding time. */
    HOLD
}

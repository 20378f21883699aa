package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;

/** Hears that a service is no longer as it was; looks up itself what it is now. Called by any thread; must not block. */
public interface ServiceListener {

    /**
     * Something about the service has changed.
     *
     * @param presence whether it has got its first instance or lost its last one with that
     */
    void changed(ServiceKey service, Presence presence);

    /**
     * The service is not known any more: it had no instance for a while, or an operator has deleted it. It may be back by
     * now.
     */
    default void removed(ServiceKey service) {}

    /** Whether changes of what other nodes of the group own are of no interest. */
    default boolean followsOwnOnly() {
        return false;
    }

    /** Whether a change made a service come or go, for those who follow names rather than instances. */
    enum Presence {
        SAME,
        APPEARED,
        EMPTIED
    }
}

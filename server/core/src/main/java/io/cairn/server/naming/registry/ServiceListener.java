package io.cairn.server.naming.registry;

import io.cairn.api.naming.ServiceKey;

/** Notified of a changed service, whose state it reads itself. Called by any thread; must not block. */
public interface ServiceListener {

    /** @param presence whether the first instance came or the last one went */
    void changed(ServiceKey service, Presence presence);

    /** The service was removed after a time without instances, or by an operator. It may exist again. */
    default void removed(ServiceKey service) {}

    /** Whether to skip changes of other nodes' instances. */
    default boolean followsOwnOnly() {
        return false;
    }

    /** For listeners that follow names instead of instances. */
    enum Presence {
        SAME,
        APPEARED,
        EMPTIED
    }
}

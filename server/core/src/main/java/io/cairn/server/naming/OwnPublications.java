package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;
import org.jspecify.annotations.Nullable;

/**
 * The current state of the publications that this node owns, for the streams to the other nodes of the group.
 * Implemented by the registry.
 */
public interface OwnPublications {

    /**
     * Returns the current publication, or null if the publisher has none. Takes the lock of that publisher, so that the
     * result is at least as new as the changes that {@link OwnChanges} has recorded. Called by threads of the group
     * only.
     */
    @Nullable
    OwnPublication publication(String publisherId, ServiceKey service);
}

package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;
import org.jspecify.annotations.Nullable;

/** The present state of what this node owns, for the streams to the other nodes of the group. Implemented by the registry. */
public interface OwnPublications {

    /**
     * Returns the publication as it is now, or null when the publisher has none. Takes the lock of that publisher, so that the
     * answer is at least as new as the changes that {@link OwnChanges} was told of. Called by threads of the group only.
     */
    @Nullable
    OwnPublication publication(String publisherId, ServiceKey service);
}

package io.cairn.server.naming.registry;

import io.cairn.api.naming.ServiceKey;
import org.jspecify.annotations.Nullable;

/** This node's present publications, for streams to other nodes. */
public interface OwnPublications {

    /**
     * The present publication, or null. Takes the publisher's lock, so it is at least as new as the recorded changes. For threads
     * of the group only.
     */
    @Nullable
    OwnPublication publication(String publisherId, ServiceKey service);
}

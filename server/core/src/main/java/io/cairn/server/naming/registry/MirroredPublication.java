package io.cairn.server.naming.registry;

import io.cairn.api.naming.ServiceKey;

/**
 * A publisher's instances of a service on another node.
 *
 * @param publishedAt as {@link OwnPublication#publishedAt}
 */
public record MirroredPublication(
        PublisherDescription publisher, ServiceKey service, long publishedAt, PublishedInstances instances) {

    /** Known from before a restart: each registration is later. */
    public static final long BEFORE_ALL = 0;
}

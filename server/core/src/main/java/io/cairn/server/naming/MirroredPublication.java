package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;

/**
 * The instances that one publisher of another node has published of one service.
 *
 * @param publishedAt the time of the registration, as {@link OwnPublication#publishedAt}
 */
public record MirroredPublication(
        PublisherDescription publisher, ServiceKey service, long publishedAt, PublishedInstances instances) {

    /** The time of a registration that is known from before a restart: each registration is later. */
    public static final long BEFORE_ALL = Registrations.BEFORE_ALL;
}

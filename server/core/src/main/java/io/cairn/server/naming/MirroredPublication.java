package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;

/**
 * What one publisher of another node says about one service.
 *
 * @param publishedAt the time of the registration, as {@link OwnPublication#publishedAt}
 */
public record MirroredPublication(
        PublisherDescription publisher, ServiceKey service, long publishedAt, PublishedInstances instances) {}

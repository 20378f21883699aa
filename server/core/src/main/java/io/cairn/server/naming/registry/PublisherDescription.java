package io.cairn.server.naming.registry;

/**
 * A publisher for other nodes.
 *
 * @param id as {@link Publisher#id}
 */
public record PublisherDescription(String id, Publisher.Kind kind, Publisher.Client client) {}

package io.cairn.server.naming;

/**
 * What the other nodes of the group know of a publisher.
 *
 * @param id as {@link Publisher#id}
 */
public record PublisherDescription(String id, Publisher.Kind kind, Publisher.Client client) {}

package io.cairn.server.naming;

/**
 * Describes a publisher for the other nodes of the group.
 *
 * @param id as {@link Publisher#id}
 */
public record PublisherDescription(String id, Publisher.Kind kind, Publisher.Client client) {}

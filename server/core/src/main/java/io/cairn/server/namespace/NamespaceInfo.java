package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;

/**
 * A namespace for the console.
 *
 * @param quota most configurations, where capacity is limited
 * @param configCount present configurations
 */
public record NamespaceInfo(Namespace namespace, String name, String description, long quota, long configCount) {}

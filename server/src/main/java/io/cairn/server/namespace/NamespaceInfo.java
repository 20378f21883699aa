package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;

/**
 * A namespace as the console shows it.
 *
 * @param configCount how many configurations it holds
 */
public record NamespaceInfo(Namespace namespace, String name, String description, long configCount) {}

package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;

/**
 * A namespace as the console shows it.
 *
 * @param quota how many configurations it may hold where capacity is limited
 * @param configCount how many configurations it holds
 */
public record NamespaceInfo(Namespace namespace, String name, String description, long quota, long configCount) {}

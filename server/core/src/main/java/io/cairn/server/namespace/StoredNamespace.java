package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;

/** A namespace that somebody has created. */
public record StoredNamespace(Namespace namespace, String name, String description) {}

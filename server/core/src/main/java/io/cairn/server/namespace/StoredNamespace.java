package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;

/** A namespace that was created. */
public record StoredNamespace(Namespace namespace, String name, String description) {}

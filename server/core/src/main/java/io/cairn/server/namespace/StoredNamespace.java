package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;

public record StoredNamespace(Namespace namespace, String name, String description) {}

package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;

/** @param name of the group or namespace; empty for the whole server */
public record CapacityScope(Kind kind, String name) {

    public enum Kind {
        CLUSTER,
        GROUP,
        NAMESPACE
    }

    public static final CapacityScope CLUSTER = new CapacityScope(Kind.CLUSTER, "");

    public static CapacityScope ofGroup(String group) {
        return group.isBlank() ? CLUSTER : new CapacityScope(Kind.GROUP, group);
    }

    public static CapacityScope ofNamespace(Namespace namespace) {
        return new CapacityScope(Kind.NAMESPACE, namespace.id());
    }

    /** Beside the whole server: the group in the default namespace, else the namespace. */
    public static CapacityScope of(ConfigKey key) {
        return key.namespace().isDefault() ? ofGroup(key.group()) : ofNamespace(key.namespace());
    }
}

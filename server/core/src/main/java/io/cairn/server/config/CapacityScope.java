package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;

/**
 * The scope of a capacity limit.
 *
 * @param name of the group or the namespace; empty for the whole server
 */
public record CapacityScope(Kind kind, String name) {

    /** The kinds of scopes. */
    public enum Kind {
        /** All configurations. */
        CLUSTER,
        /** A group of the default namespace. */
        GROUP,
        /** A namespace other than the default one. */
        NAMESPACE
    }

    /** All configurations. */
    public static final CapacityScope CLUSTER = new CapacityScope(Kind.CLUSTER, "");

    public static CapacityScope ofGroup(String group) {
        return group.isBlank() ? CLUSTER : new CapacityScope(Kind.GROUP, group);
    }

    public static CapacityScope ofNamespace(Namespace namespace) {
        return new CapacityScope(Kind.NAMESPACE, namespace.id());
    }

    /**
     * The scope of a configuration beside the whole server: its group if it is in the default namespace, else its
     * namespace.
     */
    public static CapacityScope of(ConfigKey key) {
        return key.namespace().isDefault() ? ofGroup(key.group()) : ofNamespace(key.namespace());
    }
}

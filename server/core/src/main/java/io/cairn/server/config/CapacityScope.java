package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;

/**
 * What a capacity is of.
 *
 * @param name of the group or the namespace; empty for the whole server
 */
public record CapacityScope(Kind kind, String name) {

    /** What has a capacity of its own. */
    public enum Kind {
        /** All configurations there are. */
        CLUSTER,
        /** A group of the default namespace. */
        GROUP,
        /** A namespace other than the default one. */
        NAMESPACE
    }

    /** All configurations there are. */
    public static final CapacityScope CLUSTER = new CapacityScope(Kind.CLUSTER, "");

    public static CapacityScope ofGroup(String group) {
        return group.isBlank() ? CLUSTER : new CapacityScope(Kind.GROUP, group);
    }

    public static CapacityScope ofNamespace(Namespace namespace) {
        return new CapacityScope(Kind.NAMESPACE, namespace.id());
    }

    /** Where a configuration counts, beside the whole: with its group in the default namespace, else with its namespace. */
    public static CapacityScope of(ConfigKey key) {
        return key.namespace().isDefault() ? ofGroup(key.group()) : ofNamespace(key.namespace());
    }
}

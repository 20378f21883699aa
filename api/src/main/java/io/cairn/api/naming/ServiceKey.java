package io.cairn.api.naming;

import io.cairn.api.config.Namespace;

/**
 * The key of a service. Immutable and thread-safe.
 *
 * @param group services in different groups may have the same name
 * @param name without the group
 */
public record ServiceKey(Namespace namespace, String group, String name) {

    /** The group of a service that names no group. */
    public static final String DEFAULT_GROUP = "DEFAULT_GROUP";

    public ServiceKey {
        if (group.isBlank() || name.isBlank()) {
            throw new IllegalArgumentException("group: '" + group + "', service: '" + name + "' (expected: not blank)");
        }
    }

    @Override
    public int hashCode() {
        // Nearly all services share namespace and group, so the name goes first.
        return (name.hashCode() * 31 + group.hashCode()) * 31 + namespace.hashCode();
    }

    @Override
    public String toString() {
        return namespace + "/" + group + "/" + name;
    }
}

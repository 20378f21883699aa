package io.cairn.api.naming;

import io.cairn.api.config.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * The key of a service.
 *
 * @param name without the group
 */
public record ServiceKey(Namespace namespace, String group, String name) {

    public static final String DEFAULT_GROUP = "DEFAULT_GROUP";

    public ServiceKey {
        if (group.isBlank() || name.isBlank()) {
            throw new IllegalArgumentException("group: '" + group + "', service: '" + name + "' (expected: not blank)");
        }
    }

    // equals of the keys of hot maps is written out: that of a record runs through method handles, which cost a server
    // that inlines little several times as much.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof ServiceKey key
                        && name.equals(key.name)
                        && group.equals(key.group)
                        && namespace.equals(key.namespace);
    }

    @Override
    public int hashCode() {
        // Names differ most; nearly all services share namespace and group.
        return (name.hashCode() * 31 + group.hashCode()) * 31 + namespace.hashCode();
    }

    @Override
    public String toString() {
        return namespace + "/" + group + "/" + name;
    }
}

package io.cairn.api.config;

/**
 * The key of one configuration. Immutable and thread-safe; compared case-sensitively.
 *
 * @param namespace the namespace of the configuration
 * @param group the group, not blank
 * @param dataId the name within the group, not blank
 */
public record ConfigKey(Namespace namespace, String group, String dataId) {

    /** The group of a configuration whose caller gives no group. */
    public static final String DEFAULT_GROUP = "DEFAULT_GROUP";

    public ConfigKey {
        if (group.isBlank() || dataId.isBlank()) {
            throw new IllegalArgumentException(
                    "group: '" + group + "', dataId: '" + dataId + "' (expected: not blank)");
        }
    }

    @Override
    public int hashCode() {
        // Names differ most in the dataId. Written by hand because a record's generated hash goes through a method
        // handle.
        return (dataId.hashCode() * 31 + group.hashCode()) * 31 + namespace.id().hashCode();
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof ConfigKey key
                        && dataId.equals(key.dataId)
                        && group.equals(key.group)
                        && namespace.id().equals(key.namespace.id());
    }

    @Override
    public String toString() {
        return namespace.id() + '/' + group + '/' + dataId;
    }
}

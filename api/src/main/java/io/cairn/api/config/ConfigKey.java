package io.cairn.api.config;

/**
 * The key of a configuration, compared case-sensitively.
 *
 * @param group not blank
 * @param dataId the name within the group, not blank
 */
public record ConfigKey(Namespace namespace, String group, String dataId) {

    public static final String DEFAULT_GROUP = "DEFAULT_GROUP";

    public ConfigKey {
        if (group.isBlank() || dataId.isBlank()) {
            throw new IllegalArgumentException(
                    "group: '" + group + "', dataId: '" + dataId + "' (expected: not blank)");
        }
    }

    @Override
    public int hashCode() {
        // Data ids differ most. A record's generated hash would go through a method handle.
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

package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a list that a caller may read, for one resource type in one namespace. Holds only the permissions for
 * that type and namespace, so that the check of a row is cheap. Made for one request or one watch. Immutable; two
 * scopes with the same permissions are equal.
 */
public final class ReadScope {

    /** All rows. */
    public static final ReadScope ALL = new ReadScope(null);

    private final @Nullable List<ResourcePattern> patterns;

    private ReadScope(@Nullable List<ResourcePattern> patterns) {
        this.patterns = patterns;
    }

    /**
     * The rows that one of the patterns matches. The caller has already selected the patterns by namespace and type.
     */
    static ReadScope of(List<ResourcePattern> patterns) {
        return patterns.stream().anyMatch(ResourcePattern::matchesAllRows) ? ALL : new ReadScope(List.copyOf(patterns));
    }

    /** Whether the caller may read every row. */
    public boolean isAll() {
        return patterns == null;
    }

    public boolean has(ConfigKey key) {
        return has(key.group(), key.dataId());
    }

    public boolean has(ServiceKey key) {
        return has(key.group(), key.name());
    }

    private boolean has(String group, String name) {
        if (patterns == null) {
            return true;
        }
        for (int i = 0; i < patterns.size(); i++) {
            if (patterns.get(i).matchesRow(group, name)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ReadScope rows && Objects.equals(rows.patterns, patterns);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(patterns);
    }
}

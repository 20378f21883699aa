package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The readable rows of a list, for one resource type in one namespace. Has only the permissions for these, so that a check is
 * cheap. For one request or watch. Equal for the same permissions.
 */
public final class ReadScope {

    public static final ReadScope ALL = new ReadScope(null);

    private final @Nullable List<ResourcePattern> patterns;

    private ReadScope(@Nullable List<ResourcePattern> patterns) {
        this.patterns = patterns;
    }

    /** @param patterns selected by namespace and type */
    static ReadScope of(List<ResourcePattern> patterns) {
        return patterns.stream().anyMatch(ResourcePattern::matchesAllRows) ? ALL : new ReadScope(List.copyOf(patterns));
    }

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

package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of a list somebody may see, of one type in one namespace: his permissions without those that are about
 * anything else, so that each row costs as little as it can. Made for one request or one watch. Immutable; two that let
 * the same rows through by the same permissions are equal.
 */
public final class ReadScope {

    /** All there are. */
    public static final ReadScope ALL = new ReadScope(null);

    private final @Nullable List<ResourcePattern> patterns;

    private ReadScope(@Nullable List<ResourcePattern> patterns) {
        this.patterns = patterns;
    }

    /** Those that one of the patterns matches, whose namespace and type have been looked at. */
    static ReadScope of(List<ResourcePattern> patterns) {
        return patterns.stream().anyMatch(ResourcePattern::matchesAllRows) ? ALL : new ReadScope(List.copyOf(patterns));
    }

    /** Whether there is nothing that he may not see. */
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

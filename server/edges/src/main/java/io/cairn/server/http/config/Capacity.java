package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.CapacityUse;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a group or namespace and their use, in version 3.
 *
 * @param gmtCreate always null, as in Nacos, like {@code gmtModified}
 * @param groupName left out for a namespace
 * @param namespaceId left out for a group
 */
public record Capacity(
        String id,
        int quota,
        long usage,
        int maxSize,
        int maxAggrCount,
        int maxAggrSize,
        @Nullable String gmtCreate,
        @Nullable String gmtModified,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String groupName,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String namespaceId) {

    public static Capacity of(CapacityUse use) {
        io.cairn.server.config.capacity.Capacity limits = use.capacity();
        boolean isNamespace = use.scope().kind() == CapacityScope.Kind.NAMESPACE;
        return new Capacity(
                Long.toString(limits.id()),
                limits.quota(),
                use.used(),
                limits.maxSizeBytes(),
                limits.maxAggrCount(),
                limits.maxAggrSize(),
                null,
                null,
                isNamespace ? null : use.scope().name(),
                isNamespace ? use.scope().name() : null);
    }
}

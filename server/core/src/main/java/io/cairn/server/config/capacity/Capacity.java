package io.cairn.server.config.capacity;

import io.cairn.server.config.CapacityScope;

/**
 * The limits of a group, a namespace or the whole server; 0 for the default.
 *
 * @param quota number of configurations
 * @param maxSizeBytes of one content in UTF-8
 */
public record Capacity(long id, int quota, int maxSizeBytes, int maxAggrCount, int maxAggrSize) {

    /** With the scope's defaults in place of 0. */
    public Capacity orDefault(CapacityScope.Kind kind, CapacityLimits limits) {
        return new Capacity(
                id,
                quota > 0 ? quota : limits.quota(kind),
                maxSizeBytes > 0 ? maxSizeBytes : limits.maxSizeBytes(),
                maxAggrCount > 0 ? maxAggrCount : limits.maxAggrCount(),
                maxAggrSize > 0 ? maxAggrSize : limits.maxAggrSize());
    }
}

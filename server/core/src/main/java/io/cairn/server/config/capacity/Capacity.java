package io.cairn.server.config.capacity;

import io.cairn.server.config.CapacityScope;

/**
 * What a group, a namespace or the whole may hold; 0 where the server's default holds.
 *
 * @param quota configurations
 * @param maxSizeBytes of one content in UTF-8
 */
public record Capacity(long id, int quota, int maxSizeBytes, int maxAggrCount, int maxAggrSize) {

    /** This capacity with the default of that scope in the place of every 0. */
    public Capacity orDefault(CapacityScope.Kind kind, CapacityLimits limits) {
        return new Capacity(
                id,
                quota > 0 ? quota : limits.quota(kind),
                maxSizeBytes > 0 ? maxSizeBytes : limits.maxSizeBytes(),
                maxAggrCount > 0 ? maxAggrCount : limits.maxAggrCount(),
                maxAggrSize > 0 ? maxAggrSize : limits.maxAggrSize());
    }
}

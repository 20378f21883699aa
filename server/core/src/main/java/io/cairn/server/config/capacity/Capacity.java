package io.cairn.server.config.capacity;

import io.cairn.server.config.CapacityScope;

/**
 * The capacity limits of a group, a namespace or the whole server; 0 means the server's default.
 *
 * @param quota number of configurations
 * @param maxSizeBytes of one content in UTF-8
 */
public record Capacity(long id, int quota, int maxSizeBytes, int maxAggrCount, int maxAggrSize) {

    /** This capacity with each 0 replaced by the default of that kind of scope. */
    public Capacity orDefault(CapacityScope.Kind kind, CapacityLimits limits) {
        return new Capacity(
                id,
                quota > 0 ? quota : limits.quota(kind),
                maxSizeBytes > 0 ? maxSizeBytes : limits.maxSizeBytes(),
                maxAggrCount > 0 ? maxAggrCount : limits.maxAggrCount(),
                maxAggrSize > 0 ? maxAggrSize : limits.maxAggrSize());
    }
}

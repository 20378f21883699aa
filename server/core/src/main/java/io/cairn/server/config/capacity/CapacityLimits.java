package io.cairn.server.config.capacity;

import io.cairn.server.config.CapacityScope;

/**
 * The default capacity limits.
 *
 * @param isEnforced whether a publish beyond a limit is refused
 * @param clusterQuota configurations in all
 * @param groupQuota configurations of a group of the default namespace
 * @param namespaceQuota configurations of another namespace
 * @param maxSizeBytes of a content in UTF-8
 * @param maxAggrCount only returned to clients that read it; has no effect
 * @param maxAggrSize only returned to clients that read it; has no effect
 */
public record CapacityLimits(
        boolean isEnforced,
        int clusterQuota,
        int groupQuota,
        int namespaceQuota,
        int maxSizeBytes,
        int maxAggrCount,
        int maxAggrSize) {

    /** The defaults of Nacos: counted, but not enforced. */
    public static final CapacityLimits DEFAULT = new CapacityLimits(false, 100_000, 200, 200, 102_400, 10_000, 1_024);

    /** The default quota of that kind of scope. */
    public int quota(CapacityScope.Kind kind) {
        return switch (kind) {
            case CLUSTER -> clusterQuota;
            case GROUP -> groupQuota;
            case NAMESPACE -> namespaceQuota;
        };
    }
}

package io.cairn.server.config.capacity;

import io.cairn.server.config.CapacityScope;

/**
 * @param isEnforced whether to refuse publishes beyond a limit
 * @param clusterQuota configurations in all
 * @param groupQuota of a group of the default namespace
 * @param namespaceQuota of another namespace
 * @param maxSizeBytes of a content in UTF-8
 * @param maxAggrCount without effect, for clients that read it
 * @param maxAggrSize without effect, for clients that read it
 */
public record CapacityLimits(
        boolean isEnforced,
        int clusterQuota,
        int groupQuota,
        int namespaceQuota,
        int maxSizeBytes,
        int maxAggrCount,
        int maxAggrSize) {

    /** Nacos's defaults, which are not enforced. */
    public static final CapacityLimits DEFAULT = new CapacityLimits(false, 100_000, 200, 200, 102_400, 10_000, 1_024);

    public int quota(CapacityScope.Kind kind) {
        return switch (kind) {
            case CLUSTER -> clusterQuota;
            case GROUP -> groupQuota;
            case NAMESPACE -> namespaceQuota;
        };
    }
}

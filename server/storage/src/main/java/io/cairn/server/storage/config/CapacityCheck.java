package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.CapacityException.Limit;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.capacity.Capacity;
import io.cairn.server.config.capacity.CapacityLimits;
import io.cairn.server.storage.row.CapacityRow;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Checks capacities in the transaction of a publish, so that no two publishes together pass a limit. Counts up to the limit, for
 * new rows only, and only where limits are enforced.
 */
public final class CapacityCheck {

    public static final CapacityCheck OFF = new CapacityCheck(CapacityLimits.DEFAULT);

    private static final String COUNT = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM config_info";
    private static final String UP_TO = " LIMIT ?) AS counted";

    private final CapacityLimits limits;

    public CapacityCheck(CapacityLimits limits) {
        this.limits = limits;
    }

    boolean isEnforced() {
        return limits.isEnforced();
    }

    /** Why the content must not be stored, if so. */
    Optional<PublishResult.OverCapacity> refusal(WriteTransaction transaction, ConfigKey key, int bytes, boolean isNew)
            throws SQLException {
        if (!limits.isEnforced()) {
            return Optional.empty();
        }
        CapacityScope scope = CapacityScope.of(key);
        Capacity capacity = of(transaction, scope);
        if (bytes > capacity.maxSizeBytes()) {
            return Optional.of(new PublishResult.OverCapacity(Limit.SIZE, scope, capacity.maxSizeBytes()));
        }
        if (!isNew) {
            return Optional.empty();
        }
        if (isFull(transaction, key, scope, capacity.quota())) {
            Limit limit = scope.kind() == CapacityScope.Kind.GROUP ? Limit.GROUP_QUOTA : Limit.NAMESPACE_QUOTA;
            return Optional.of(new PublishResult.OverCapacity(limit, scope, capacity.quota()));
        }
        int clusterQuota = of(transaction, CapacityScope.CLUSTER).quota();
        return isFull(transaction, key, CapacityScope.CLUSTER, clusterQuota)
                ? Optional.of(new PublishResult.OverCapacity(Limit.CLUSTER_QUOTA, CapacityScope.CLUSTER, clusterQuota))
                : Optional.empty();
    }

    private Capacity of(WriteTransaction transaction, CapacityScope scope) throws SQLException {
        PreparedStatement find = transaction.prepared(CapacityRow.find(scope));
        find.setString(1, scope.name());
        try (ResultSet rows = find.executeQuery()) {
            Capacity set = rows.next() ? CapacityRow.read(rows) : new Capacity(0, 0, 0, 0, 0);
            return set.orDefault(scope.kind(), limits);
        }
    }

    private static boolean isFull(WriteTransaction transaction, ConfigKey key, CapacityScope scope, int quota)
            throws SQLException {
        boolean byGroup = scope.kind() == CapacityScope.Kind.GROUP;
        String where = scope.kind() == CapacityScope.Kind.CLUSTER
                ? ""
                : byGroup ? " WHERE tenant_id = ? AND group_id = ?" : " WHERE tenant_id = ?";
        PreparedStatement count = transaction.prepared(COUNT + where + UP_TO);
        int at = 1;
        if (!where.isEmpty()) {
            count.setString(at++, transaction.tenant(key.namespace()));
        }
        if (byGroup) {
            count.setString(at++, scope.name());
        }
        count.setInt(at, quota);
        try (ResultSet rows = count.executeQuery()) {
            return rows.next() && rows.getLong(1) >= quota;
        }
    }
}

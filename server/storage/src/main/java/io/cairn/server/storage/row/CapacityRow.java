package io.cairn.server.storage.row;

import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.Capacity;
import io.cairn.server.storage.database.RowRules;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Rows of {@code group_capacity} and {@code tenant_capacity}; the whole server is the group without a name. */
public final class CapacityRow {

    private static final String COLUMNS = "SELECT id, quota, max_size, max_aggr_count, max_aggr_size FROM ";

    private CapacityRow() {}

    public static String table(CapacityScope scope) {
        return scope.kind() == CapacityScope.Kind.NAMESPACE ? "tenant_capacity" : "group_capacity";
    }

    public static String column(CapacityScope scope) {
        return scope.kind() == CapacityScope.Kind.NAMESPACE ? "tenant_id" : "group_id";
    }

    public static String find(CapacityScope scope) {
        return COLUMNS + table(scope) + " WHERE " + column(scope) + " = ?";
    }

    public static Capacity read(ResultSet rows) throws SQLException {
        return new Capacity(
                RowRules.clamped(rows, 1),
                RowRules.clampedInt(rows, 2),
                RowRules.clampedInt(rows, 3),
                RowRules.clampedInt(rows, 4),
                RowRules.clampedInt(rows, 5));
    }
}

package io.cairn.server.storage;

import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.Capacity;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Rows of {@code group_capacity} and {@code tenant_capacity}; the whole is the group without a name. */
final class CapacityRow {

    private static final String COLUMNS = "SELECT id, quota, max_size, max_aggr_count, max_aggr_size FROM ";

    private CapacityRow() {}

    static String table(CapacityScope scope) {
        return scope.kind() == CapacityScope.Kind.NAMESPACE ? "tenant_capacity" : "group_capacity";
    }

    static String column(CapacityScope scope) {
        return scope.kind() == CapacityScope.Kind.NAMESPACE ? "tenant_id" : "group_id";
    }

    static String find(CapacityScope scope) {
        return COLUMNS + table(scope) + " WHERE " + column(scope) + " = ?";
    }

    static Capacity read(ResultSet rows) throws SQLException {
        return new Capacity(rows.getLong(1), rows.getInt(2), rows.getInt(3), rows.getInt(4), rows.getInt(5));
    }
}

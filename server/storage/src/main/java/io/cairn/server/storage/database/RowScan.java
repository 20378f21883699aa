package io.cairn.server.storage.database;

import io.cairn.server.auth.AccountRows;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads the names in all rows, to find rows that a start would skip. */
public final class RowScan {

    private RowScan() {}

    /** The history may be long and is not read: its pages are checked when read. */
    public static void run(Connection connection, Dialect dialect, LeftOutRows leftOut) throws SQLException {
        for (String table : RowRules.tables()) {
            Set<String> present = columns(connection, table);
            if (!present.isEmpty() && !table.equals(TableNames.HISTORY)) {
                run(connection, dialect, leftOut, table, present);
            }
        }
    }

    /** Complete permissions; empty without the table. */
    public static List<AccountRows.PermissionRow> permissions(Connection connection) throws SQLException {
        List<AccountRows.PermissionRow> permissions = new ArrayList<>();
        if (columns(connection, "permissions").containsAll(List.of("role", "resource", "action"))) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT role, resource, action FROM permissions"
                            + " WHERE role IS NOT NULL AND resource IS NOT NULL AND action IS NOT NULL")) {
                while (rows.next()) {
                    permissions.add(
                            new AccountRows.PermissionRow(rows.getString(1), rows.getString(2), rows.getString(3)));
                }
            }
        }
        return permissions;
    }

    private static Set<String> columns(Connection connection, String table) throws SQLException {
        Set<String> columns = new LinkedHashSet<>();
        DatabaseMetaData tables = connection.getMetaData();
        try (ResultSet rows = tables.getColumns(connection.getCatalog(), null, table, "%")) {
            while (rows.next()) {
                columns.add(rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return columns;
    }

    private static void run(
            Connection connection, Dialect dialect, LeftOutRows leftOut, String table, Set<String> present)
            throws SQLException {
        List<String> ids = RowRules.ids(table);
        Set<String> read = new LinkedHashSet<>(ids);
        read.addAll(RowRules.columns(table));
        read.retainAll(present);
        List<String> columns = new ArrayList<>(read);
        int[] named = ids.stream().mapToInt(id -> columns.indexOf(id) + 1).toArray();
        LeftOutRows.Reading reading = leftOut.whole(table);
        try (Statement statement = connection.createStatement()) {
            dialect.streamRows(statement);
            try (ResultSet rows = statement.executeQuery("SELECT " + String.join(", ", columns) + " FROM " + table)) {
                while (rows.next()) {
                    reading.read(
                            rows,
                            row -> {
                                for (int i = 0; i < columns.size(); i++) {
                                    RowRules.check(table, columns.get(i), row.getString(i + 1));
                                }
                                return table;
                            },
                            named);
                }
            }
        }
        reading.done();
    }
}

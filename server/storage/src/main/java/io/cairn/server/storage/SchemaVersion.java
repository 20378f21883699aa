package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Whether the schema is the one this release was built for, found with one query; the migration engine takes half a
 * second to find the same out and is left alone when there is nothing to do.
 */
final class SchemaVersion {

    /** Number of the newest script below {@code migration/sqlite}; a test holds it to the files. */
    static final String CURRENT = "7";

    /** Number of the newest script below {@code migration/mysql}. */
    static final String CURRENT_ON_MYSQL = "6";

    private SchemaVersion() {}

    static boolean isCurrent(SqliteDatabase database) throws SQLException {
        try (Connection connection = database.openReader()) {
            return isCurrent(
                    connection,
                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'cairn_schema_history'",
                    CURRENT);
        }
    }

    /**
     * @param historyTable a query with a row where the table of applied scripts exists
     * @param current number of the newest script for that database
     */
    static boolean isCurrent(Connection connection, String historyTable, String current) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet table = statement.executeQuery(historyTable)) {
                if (!table.next()) {
                    return false;
                }
            }
            try (ResultSet rows = statement.executeQuery(
                    "SELECT version, success FROM cairn_schema_history ORDER BY installed_rank DESC LIMIT 1")) {
                if (!rows.next() || rows.getString(1) == null) {
                    return false;
                }
                if (Integer.parseInt(rows.getString(1)) > Integer.parseInt(current)) {
                    throw new SQLException("its schema has version " + rows.getString(1)
                            + " and was written by a newer Cairn (this one knows " + current
                            + "); start that release, or restore a backup");
                }
                return current.equals(rows.getString(1)) && rows.getBoolean(2);
            }
        }
    }
}

package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this release can work on the schema as it is, found with one query; the migration engine takes half a second to
 * find the same out and is left alone when there is nothing to do.
 *
 * <p>A schema that a newer release has made is as good as the current one when that release says so: {@code cairn_schema}
 * holds the oldest version whose release can work on it. So a node of the release before can restart in the middle of an upgrade.
 */
final class SchemaVersion {

    /** Number of the newest script below {@code migration/sqlite} and {@code migration/mysql}; a test holds it to the files. */
    static final int CURRENT = 8;

    private static final Logger log = LoggerFactory.getLogger(SchemaVersion.class);

    private SchemaVersion() {}

    static boolean isUsable(SqliteDatabase database) throws SQLException {
        try (Connection connection = database.openReader()) {
            return isUsable(
                    connection,
                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'cairn_schema_history'",
                    database.file());
        }
    }

    /**
     * Whether the schema needs no migration.
     *
     * @param historyTable a query with a row where the table of applied scripts exists
     * @param database its name in messages
     * @throws SQLException when a newer release made the schema and this release cannot work on it
     */
    static boolean isUsable(Connection connection, String historyTable, Object database) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet table = statement.executeQuery(historyTable)) {
                if (!table.next()) {
                    return false;
                }
            }
            int version;
            boolean isComplete;
            try (ResultSet rows = statement.executeQuery(
                    "SELECT version, success FROM cairn_schema_history ORDER BY installed_rank DESC LIMIT 1")) {
                if (!rows.next() || rows.getString(1) == null) {
                    return false;
                }
                version = Integer.parseInt(rows.getString(1));
                isComplete = rows.getBoolean(2);
            }
            if (version <= CURRENT) {
                return version == CURRENT && isComplete;
            }
            int readableFrom = readableFrom(statement);
            if (!isComplete || readableFrom > CURRENT) {
                throw new SQLException("its schema has version " + version
                        + " and was written by a newer Cairn (this one knows " + CURRENT
                        + "; version " + version
                        + (isComplete ? " can be used from " + readableFrom + " on" : " is incomplete")
                        + "); start that release, or restore a backup");
            }
            log.info(
                    "The schema of {} has version {} of a newer Cairn. This one, of version {}, can use it and migrates nothing",
                    database,
                    version,
                    CURRENT);
            return true;
        }
    }

    private static int readableFrom(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT readable_from FROM cairn_schema WHERE id = 1")) {
            if (!rows.next()) {
                throw new SQLException("table cairn_schema is empty (expected: one row with id 1)");
            }
            return rows.getInt(1);
        }
    }
}

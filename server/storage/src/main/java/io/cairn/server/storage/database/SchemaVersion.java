package io.cairn.server.storage.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks with one query whether this release can work on the schema; the migration engine needs half a second for that.
 *
 * <p>A newer release's schema is usable when {@code cairn_schema} permits this version. So a node of the release before can restart
 * during an upgrade.
 */
public final class SchemaVersion {

    /** Of the newest script of each database; a test compares it. */
    public static final int CURRENT = 10;
    /** Of the first one with releases by labels. A release before it serves the content for all to their clients. */
    public static final int WITH_LABEL_RELEASES = 10;

    /** Ends the use of the database by older releases, which would serve the content for all to the clients of a release. */
    public static final String HAS_LABEL_RELEASES = "UPDATE cairn_schema SET readable_from = " + WITH_LABEL_RELEASES
            + " WHERE readable_from < " + WITH_LABEL_RELEASES;

    private static final Logger log = LoggerFactory.getLogger(SchemaVersion.class);

    private SchemaVersion() {}

    /**
     * Whether no migration is needed.
     *
     * @param historyTable a query with a row where the table of scripts exists
     * @param database for messages
     * @throws SQLException for a newer release's unusable schema
     */
    public static boolean isUsable(Connection connection, String historyTable, Object database) throws SQLException {
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

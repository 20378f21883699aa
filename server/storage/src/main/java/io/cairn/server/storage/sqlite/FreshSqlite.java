package io.cairn.server.storage.sqlite;

import io.cairn.server.storage.database.SchemaScript;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Creates the schema of an empty embedded database: all scripts in one transaction, and the migration engine's history, so that the
 * engine has nothing to do. The engine loads longer than the rest of the store. A test compares both results.
 */
final class FreshSqlite {

    /** All scripts below {@code migration/sqlite}, in order. */
    private static final List<String> SCRIPTS = List.of(
            "V1__nacos_tables.sql",
            "V2__cairn_change_log.sql",
            "V3__cairn_naming.sql",
            "V4__config_search.sql",
            "V6__cairn_access.sql",
            "V7__history_contents.sql",
            "V8__cairn_cluster.sql",
            "V9__issuer_rules.sql",
            "V10__label_releases.sql");

    private static final String HISTORY = """
            CREATE TABLE "cairn_schema_history" (
                "installed_rank" INT NOT NULL PRIMARY KEY,
                "version" VARCHAR(50),
                "description" VARCHAR(200) NOT NULL,
                "type" VARCHAR(20) NOT NULL,
                "script" VARCHAR(1000) NOT NULL,
                "checksum" INT,
                "installed_by" VARCHAR(100) NOT NULL,
                "installed_on" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f','now')),
                "execution_time" INT NOT NULL,
                "success" BOOLEAN NOT NULL
            );
            CREATE INDEX "cairn_schema_history_s_idx" ON "cairn_schema_history" ("success");
            """;

    private FreshSqlite() {}

    static void fill(Connection connection) throws SQLException {
        if (!isEmpty(connection)) {
            return;
        }
        SqliteDatabase.DIALECT.begin(connection);
        try {
            run(connection);
            SqliteDatabase.DIALECT.commit(connection);
        } catch (SQLException | RuntimeException e) {
            SqliteDatabase.DIALECT.rollback(connection);
            throw e;
        }
    }

    private static boolean isEmpty(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT 1 FROM sqlite_master LIMIT 1")) {
            return !row.next();
        }
    }

    private static void run(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(HISTORY);
            for (int i = 0; i < SCRIPTS.size(); i++) {
                SchemaScript script = SchemaScript.read("sqlite", SCRIPTS.get(i));
                statement.executeUpdate(script.text());
                note(connection, i + 1, script);
            }
        }
    }

    private static void note(Connection connection, int rank, SchemaScript script) throws SQLException {
        try (PreparedStatement row = connection.prepareStatement("INSERT INTO cairn_schema_history (installed_rank,"
                + " version, description, type, script, checksum, installed_by, execution_time, success)"
                + " VALUES (?, ?, ?, 'SQL', ?, ?, '', 0, 1)")) {
            row.setInt(1, rank);
            row.setString(2, script.version());
            row.setString(3, script.description());
            row.setString(4, script.name());
            row.setInt(5, script.checksum());
            row.executeUpdate();
        }
    }
}

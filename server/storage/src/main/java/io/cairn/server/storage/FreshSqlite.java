package io.cairn.server.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * The schema of an embedded database that has nothing in it yet: all scripts in one transaction, and the history that the
 * migration engine would have left, which finds nothing to do from then on. That engine takes longer to load than the
 * rest of the store. A test holds what comes out here to what comes out there.
 */
final class FreshSqlite {

    /** All scripts below {@code migration/sqlite}, in their order. */
    private static final List<String> SCRIPTS = List.of(
            "V1__nacos_tables.sql",
            "V2__cairn_change_log.sql",
            "V3__cairn_naming.sql",
            "V4__config_search.sql",
            "V6__cairn_access.sql",
            "V7__history_contents.sql",
            "V8__cairn_cluster.sql");

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

    /** Does nothing to a database in which there is anything. */
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
                String script = read(SCRIPTS.get(i));
                statement.executeUpdate(script);
                note(connection, i + 1, SCRIPTS.get(i), script);
            }
        }
    }

    private static void note(Connection connection, int rank, String name, String script) throws SQLException {
        int separator = name.indexOf("__");
        try (PreparedStatement row = connection.prepareStatement("INSERT INTO cairn_schema_history (installed_rank,"
                + " version, description, type, script, checksum, installed_by, execution_time, success)"
                + " VALUES (?, ?, ?, 'SQL', ?, ?, '', 0, 1)")) {
            row.setInt(1, rank);
            row.setString(2, name.substring(1, separator));
            row.setString(
                    3,
                    name.substring(separator + 2, name.length() - ".sql".length())
                            .replace('_', ' '));
            row.setString(4, name);
            row.setInt(5, checksum(script));
            row.executeUpdate();
        }
    }

    /** As the engine reckons it: over the lines without what ends them. */
    private static int checksum(String script) {
        CRC32 sum = new CRC32();
        script.lines().forEach(line -> sum.update(line.getBytes(UTF_8)));
        return (int) sum.getValue();
    }

    private static String read(String name) {
        try (InputStream in =
                Objects.requireNonNull(FreshSqlite.class.getResourceAsStream("migration/sqlite/" + name), name)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

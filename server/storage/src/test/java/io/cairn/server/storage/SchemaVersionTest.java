package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaVersionTest {

    private static final String MIGRATIONS = "io/cairn/server/storage/migration/sqlite";
    private static final Pattern NAME = Pattern.compile("V(\\d+)__\\w+\\.sql");

    @TempDir
    Path folder;

    @Test
    void theCurrentVersionIsThatOfTheNewestScript() throws Exception {
        List<Integer> versions = scripts();

        assertThat(versions)
                .as("no number is given twice")
                .doesNotHaveDuplicates()
                .startsWith(1);
        assertThat(SchemaVersion.CURRENT).isEqualTo(Integer.toString(Collections.max(versions)));
    }

    @Test
    void aFreshDatabaseIsCurrentAndOpensAgainAsItIs() throws Exception {
        SqliteDatabase database = SqliteDatabase.open(folder);
        assertThat(SchemaVersion.isCurrent(database)).isTrue();
        execute("INSERT INTO tenant_info (kp, tenant_id, gmt_create, gmt_modified) VALUES ('1', 'dev', 0, 0)");

        assertThat(SchemaVersion.isCurrent(SqliteDatabase.open(folder))).isTrue();

        assertThat(text("SELECT tenant_id FROM tenant_info")).isEqualTo("dev");
    }

    @Test
    void aFreshDatabaseIsWhatTheMigrationsMake() throws Exception {
        Flyway migrated = flyway(folder.resolve("migrated.db"));
        migrated.migrate();

        SqliteDatabase.open(folder);

        for (String query : List.of(
                "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY type, name",
                "SELECT installed_rank || version || description || type || script || checksum || installed_by || success"
                        + " FROM cairn_schema_history ORDER BY installed_rank",
                "SELECT id || ' ' || value FROM cairn_revision")) {
            assertThat(texts("cairn.db", query)).isNotEmpty().isEqualTo(texts("migrated.db", query));
        }
        Flyway fresh = flyway(folder.resolve("cairn.db"));
        fresh.validate();
        assertThat(fresh.migrate().migrationsExecuted).isZero();
    }

    private static Flyway flyway(Path file) {
        return Flyway.configure()
                .dataSource("jdbc:sqlite:" + file, null, null)
                .locations("classpath:" + MIGRATIONS)
                .table("cairn_schema_history")
                .load();
    }

    private List<String> texts(String file, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(file));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }

    @Test
    void aDatabaseOfAnEarlierReleaseIsBroughtUpToDateWithItsRows() throws Exception {
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + folder.resolve("cairn.db"), null, null)
                .locations("classpath:" + MIGRATIONS)
                .table("cairn_schema_history")
                .target("1")
                .load()
                .migrate();
        execute("INSERT INTO config_info (data_id, group_id, content, gmt_create, gmt_modified)"
                + " VALUES ('a', 'g', 'old', 0, 0)");
        execute("INSERT INTO his_config_info (id, data_id, group_id, content, md5, op_type, gmt_create, gmt_modified)"
                + " VALUES (1, 'a', 'g', 'older', 'x', 'I', 0, 0)");

        SqliteDatabase database = SqliteDatabase.open(folder);

        assertThat(SchemaVersion.isCurrent(database)).isTrue();
        assertThat(text("SELECT value FROM cairn_revision")).isEqualTo("0");
        assertThat(text("SELECT content FROM config_info")).isEqualTo("old");
        assertThat(text("SELECT content FROM his_config_info")).isEqualTo("older");
    }

    @Test
    void aScriptThatWasChangedAfterwardsIsNamed() throws Exception {
        SqliteDatabase.open(folder);
        execute("UPDATE cairn_schema_history SET checksum = 1, success = 0 WHERE version = '" + SchemaVersion.CURRENT
                + "'");

        assertThatThrownBy(() -> SqliteDatabase.open(folder))
                .isInstanceOf(CairnException.class)
                .hasMessageStartingWith("Database " + folder.resolve("cairn.db") + " cannot be used: ")
                .extracting(failure -> failure.getMessage().lines().count())
                .isEqualTo(1L);
    }

    @Test
    void theDatabaseKeepsItsPageSizeAndItsJournal() throws Exception {
        SqliteDatabase database = SqliteDatabase.open(folder);

        try (Connection writer = database.openWriter();
                Connection reader = database.openReader()) {
            assertThat(text(writer, "PRAGMA page_size")).isEqualTo("4096");
            assertThat(text(writer, "PRAGMA journal_mode")).isEqualTo("wal");
            assertThat(text(writer, "PRAGMA synchronous")).as("FULL").isEqualTo("2");
            assertThat(text(reader, "PRAGMA query_only")).isEqualTo("1");
            assertThatThrownBy(() -> execute(reader, "DELETE FROM config_info")).isInstanceOf(SQLException.class);
        }
    }

    private static List<Integer> scripts() throws Exception {
        URL location = SchemaVersion.class.getResource("migration/sqlite");
        try (Stream<Path> files = Files.list(Path.of(location.toURI()))) {
            return files.map(file -> {
                        Matcher name = NAME.matcher(file.getFileName().toString());
                        assertThat(name.matches()).as("%s", file).isTrue();
                        return Integer.parseInt(name.group(1));
                    })
                    .sorted()
                    .toList();
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("cairn.db"))) {
            execute(connection, sql);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("cairn.db"))) {
            return text(connection, sql);
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}

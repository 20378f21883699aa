package io.cairn.server.storage.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.SchemaVersion;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
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
        for (String dialect : List.of("sqlite", "mysql", "postgresql")) {
            List<Integer> versions = scripts(dialect);

            assertThat(versions)
                    .as("no number is given twice in %s", dialect)
                    .doesNotHaveDuplicates()
                    .startsWith(1);
            assertThat(SchemaVersion.CURRENT).as(dialect).isEqualTo(Collections.max(versions));
        }
    }

    @Test
    void aReleaseReadsItsOwnSchema() throws Exception {
        SqliteDatabase.open(folder);

        assertThat(Integer.parseInt(text("SELECT readable_from FROM cairn_schema")))
                .isBetween(1, SchemaVersion.CURRENT);
    }

    @Test
    void aNewerSchemaIsUsedAsItIsWhereItsReleaseAllowsThat() throws Exception {
        SqliteDatabase.open(folder);
        insertNewerVersion(true);
        execute("ALTER TABLE cairn_node ADD COLUMN zone TEXT");

        SqliteDatabase database = SqliteDatabase.open(folder);

        assertThat(database.isUsable()).isTrue();
        assertThat(text("SELECT MAX(CAST(version AS INTEGER)) FROM cairn_schema_history"))
                .isEqualTo(Integer.toString(SchemaVersion.CURRENT + 1));
        try (TestStore store =
                TestStore.start(new TestDatabase(database::openWriter, database::openReader, SqliteDatabase.DIALECT))) {
            assertThat(store.publish("a", "1").revision()).isEqualTo(1);
        }
    }

    @Test
    void anIncompatibleNewerSchemaEndsTheStart() throws Exception {
        SqliteDatabase.open(folder);
        insertNewerVersion(true);
        execute("UPDATE cairn_schema SET readable_from = " + (SchemaVersion.CURRENT + 1));

        assertRefused(
                "its schema has version 11 and was written by a newer Cairn (this one knows 10; version 11 can be used"
                        + " from 11 on); start that release, or restore a backup");
    }

    @Test
    void aNewerSchemaThatIsIncompleteEndsTheStart() throws Exception {
        SqliteDatabase.open(folder);
        insertNewerVersion(false);

        assertRefused("its schema has version 11 and was written by a newer Cairn (this one knows 10; version 11 is"
                + " incomplete); start that release, or restore a backup");
    }

    private void assertRefused(String cause) {
        assertThatThrownBy(() -> SqliteDatabase.open(folder))
                .isInstanceOf(CairnException.class)
                .hasMessage("Database " + folder.resolve("cairn.db") + " cannot be used: " + cause);
    }

    private void insertNewerVersion(boolean success) throws SQLException {
        execute("INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success) VALUES (100, '" + (SchemaVersion.CURRENT + 1)
                + "', 'newer', 'SQL', 'V9__newer.sql', 1, '', 0, " + (success ? 1 : 0) + ")");
    }

    @Test
    void aDatabaseOfTheBuildBeforeKeepsItsRecords() throws Exception {
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + folder.resolve("cairn.db"), null, null)
                .locations("classpath:" + MIGRATIONS)
                .table("cairn_schema_history")
                .target("7")
                .load()
                .migrate();
        execute("INSERT INTO cairn_audit (done_at, who, kind, address, action, target)"
                + " VALUES (5, 'anna', 'USER', '10.0.0.9', 'user.create', 'ben')");

        SqliteDatabase database = SqliteDatabase.open(folder);

        assertThat(database.isUsable()).isTrue();
        try (TestStore store =
                TestStore.start(new TestDatabase(database::openWriter, database::openReader, SqliteDatabase.DIALECT))) {
            assertThat(store.query("SELECT who, node FROM cairn_audit")).containsExactly(Arrays.asList("anna", null));
            assertThat(store.query("SELECT readable_from FROM cairn_schema")).containsExactly(List.of("7"));
        }
    }

    @Test
    void aFreshDatabaseIsCurrentAndOpensAgainAsItIs() throws Exception {
        SqliteDatabase database = SqliteDatabase.open(folder);
        assertThat(database.isUsable()).isTrue();
        execute("INSERT INTO tenant_info (kp, tenant_id, gmt_create, gmt_modified) VALUES ('1', 'dev', 0, 0)");

        assertThat(SqliteDatabase.open(folder).isUsable()).isTrue();

        assertThat(text("SELECT tenant_id FROM tenant_info")).isEqualTo("dev");
    }

    @Test
    void aFreshDatabaseEqualsTheMigratedOne() throws Exception {
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
    void upgradesADatabaseOfAnEarlierReleaseWithItsRows() throws Exception {
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

        assertThat(database.isUsable()).isTrue();
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

    private static List<Integer> scripts(String dialect) throws Exception {
        URL location = SchemaVersion.class.getResource("/io/cairn/server/storage/migration/" + dialect);
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

package io.cairn.server.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.server.ServerSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mysql")
class MySqlSchemaIT {

    /** The version of a release to come. */
    private static final int NEWER = SchemaVersion.CURRENT + 1;

    private static final String COLUMNS = "SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable,"
            + " column_default, character_set_name, collation_name) FROM information_schema.columns"
            + " WHERE table_schema = DATABASE() AND table_name <> 'cairn_schema_history' ORDER BY 1";
    private static final String KEYS =
            "SELECT CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name, non_unique)"
                    + " FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name <>"
                    + " 'cairn_schema_history' ORDER BY 1";
    private static final String SCRIPTS = "SELECT CONCAT_WS(' ', installed_rank, version, description, type, script,"
            + " checksum, success) FROM cairn_schema_history ORDER BY installed_rank";

    @Test
    void theSqlFileForOperatorsCreatesTheSameSchema() throws Exception {
        try (TestSchema ours = TestSchema.create(MySqlSchemaIT.class);
                TestSchema byHand = TestSchema.create(MySqlSchemaIT.class);
                MySqlDatabase made = new MySqlDatabase(MySqlTestDatabase.settings(ours));
                MySqlDatabase found = new MySqlDatabase(MySqlTestDatabase.settings(byHand))) {
            made.prepare();
            try (Connection connection = byHand.connect()) {
                for (String statement :
                        MySqlSchemaFile.FILE.text().replaceAll("(?m)^--.*$", "").split(";\\s*\\n")) {
                    if (!statement.isBlank()) {
                        execute(connection, statement);
                    }
                }
            }

            for (String query : List.of(COLUMNS, KEYS, SCRIPTS)) {
                assertThat(column(byHand, query)).containsExactlyElementsOf(column(ours, query));
            }
            assertThat(found.dryRun()).isEmpty();
            found.prepare();
            try (TestStore store =
                    TestStore.start(new TestDatabase(found::openWriter, found::openReader, found.dialect()))) {
                assertThat(store.publish("a", "1").revision()).isEqualTo(1);
            }
        }
    }

    @Test
    void aDryRunOnAnEmptyDatabasePrintsAllScriptsAndMakesNothing() throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlSchemaIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            List<String> plan = database.dryRun();

            assertThat(plan).first().asString().contains("CREATE TABLE IF NOT EXISTS config_info (");
            assertThat(plan).anySatisfy(script -> assertThat(script).contains("cairn_revision"));
            assertThat(column(schema, COLUMNS)).isEmpty();
        }
    }

    @Test
    void scriptsThatWereCutShortRunAgain() throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlSchemaIT.class)) {
            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                database.prepare();
            }
            List<String> made = column(schema, KEYS);
            schema.execute("UPDATE cairn_schema_history SET success = 0 WHERE version = '4'");
            schema.execute("DELETE FROM cairn_schema_history WHERE version IN ('6', '8', '9', '10')");
            schema.execute("DROP TABLE cairn_token");
            schema.execute("DROP TABLE cairn_secret");

            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                database.prepare();
            }

            assertThat(column(schema, "SELECT version FROM cairn_schema_history WHERE success = 1"))
                    .contains("4", "6", "8", "9", "10");
            assertThat(column(schema, KEYS)).containsExactlyElementsOf(made);
        }
    }

    @Test
    void aDatabaseOfTheBuildBeforeKeepsItsRecords() throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlSchemaIT.class)) {
            Flyway.configure()
                    .dataSource(schema.url(), schema.user(), schema.password())
                    .locations("classpath:" + MySqlSchema.SCRIPTS)
                    .table("cairn_schema_history")
                    .target("6")
                    .load()
                    .migrate();
            schema.execute("INSERT INTO cairn_audit (done_at, who, kind, address, action, target)"
                    + " VALUES (5, 'anna', 'USER', '10.0.0.9', 'user.create', 'ben')");

            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                database.prepare();
            }

            assertThat(schema.query("SELECT who, node FROM cairn_audit")).containsExactly(Arrays.asList("anna", null));
            assertThat(schema.query("SELECT readable_from FROM cairn_schema")).containsExactly(List.of("6"));
        }
    }

    @Test
    void aNewerSchemaIsUsedAsItIsWhereItsReleaseAllowsThat() throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlSchemaIT.class)) {
            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                database.prepare();
            }
            schema.execute("INSERT INTO cairn_schema_history (installed_rank, version, description, type, script,"
                    + " checksum, installed_by, execution_time, success)"
                    + " VALUES (100, '" + NEWER + "', 'newer', 'SQL', 'newer.sql', 1, '', 0, 1)");
            schema.execute("ALTER TABLE cairn_node ADD COLUMN zone varchar(64)");

            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                assertThat(database.dryRun()).isEmpty();
                database.prepare();
                try (TestStore store = TestStore.start(
                        new TestDatabase(database::openWriter, database::openReader, database.dialect()))) {
                    assertThat(store.publish("a", "1").revision()).isEqualTo(1);
                }
            }

            schema.execute("UPDATE cairn_schema SET readable_from = " + NEWER);
            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                assertThatThrownBy(database::prepare)
                        .isInstanceOf(CairnException.class)
                        .hasMessageContaining("version " + NEWER + " can be used from " + NEWER + " on");
            }
        }
    }

    @Test
    void textColumnsHoldEveryCharacterAndCompareByteByByte() throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlSchemaIT.class, "default character set latin1");
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            database.prepare();

            assertThat(
                            column(
                                    schema,
                                    "SELECT DISTINCT collation_name FROM information_schema.columns WHERE table_schema ="
                                            + " DATABASE() AND table_name <> 'cairn_schema_history' AND collation_name IS NOT NULL"))
                    .containsExactly("utf8mb4_bin");
        }
    }

    @Test
    void choosesTheWritableSourceAgainAfterASwitch() throws Exception {
        try (TestSchema here = TestSchema.create(MySqlSchemaIT.class)) {
            ServerSettings.Source nowhere =
                    new ServerSettings.Source("jdbc:mysql://127.0.0.1:1/none", here.user(), here.password());
            ServerSettings.Source there =
                    MySqlTestDatabase.settings(here).sources().get(0);
            try (MySqlDatabase database =
                    new MySqlDatabase(new ServerSettings(List.of(nowhere, there), ServerSettings.Pool.DEFAULT))) {
                database.prepare();

                assertThat(database).hasToString(here.url());
                try (Connection reader = database.openReader()) {
                    assertThat(reader.getCatalog()).isEqualTo(here.name());
                    assertThatThrownBy(() -> execute(reader, "DELETE FROM config_info"))
                            .isInstanceOf(SQLException.class);
                }
            }
            try (MySqlDatabase database =
                    new MySqlDatabase(new ServerSettings(List.of(nowhere), ServerSettings.Pool.DEFAULT))) {
                assertThatThrownBy(database::prepare)
                        .isInstanceOf(CairnException.class)
                        .hasMessageContaining("no connection to the database (Connection refused");
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> column(TestSchema schema, String sql) throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }
}

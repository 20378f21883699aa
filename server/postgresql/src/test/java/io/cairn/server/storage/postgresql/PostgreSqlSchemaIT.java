package io.cairn.server.storage.postgresql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.postgresql.TestSchema;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.server.ServerSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class PostgreSqlSchemaIT {

    /** The version of a release to come. */
    private static final int NEWER = SchemaVersion.CURRENT + 1;

    private static final String TABLES =
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";

    private static final String COLUMNS = "SELECT table_name, column_name, data_type, character_maximum_length,"
            + " collation_name, is_nullable, column_default FROM information_schema.columns"
            + " WHERE table_schema = current_schema() ORDER BY 1, ordinal_position";
    private static final String KEYS =
            "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname";
    private static final String SCRIPTS = "SELECT installed_rank, version, description, type, script, checksum, success"
            + " FROM cairn_schema_history ORDER BY installed_rank";

    private TestSchema schema;

    @BeforeEach
    void create() {
        schema = TestSchema.create(PostgreSqlSchemaIT.class);
    }

    @AfterEach
    void drop() {
        schema.close();
    }

    private PostgreSqlDatabase database() {
        return database("", schema.user());
    }

    private PostgreSqlDatabase database(String options, String user) {
        return new PostgreSqlDatabase(new ServerSettings(
                List.of(new ServerSettings.Source(schema.url() + options, user, schema.password())),
                ServerSettings.Pool.DEFAULT));
    }

    private static void assertPublishes(PostgreSqlDatabase database, String content) {
        try (TestStore store =
                TestStore.start(new TestDatabase(database::openWriter, database::openReader, database.dialect()))) {
            store.publish("a", content);
            assertThat(store.content("a")).isEqualTo(content);
        }
    }

    /** Nacos 3 moves its own rows of the default namespace from '' to public. */
    @Test
    void releasesThatNacosDoesNotKnowFollowTheDefaultNamespace() throws Exception {
        try (PostgreSqlDatabase database = database()) {
            database.prepare();
        }
        schema.execute(
                "INSERT INTO cairn_config_gray (data_id, group_id, tenant_id, content, gray_name, gray_rule) VALUES"
                        + " ('a', 'g', '', 'x', 'zone-a', '{}'), ('b', 'g', '', 'old', 'zone-a', '{}'),"
                        + " ('b', 'g', 'public', 'new', 'zone-a', '{}'), ('a', 'g', 'dev', 'y', 'zone-a', '{}')");
        String tenants = "SELECT data_id, tenant_id, content FROM cairn_config_gray ORDER BY data_id, tenant_id";
        try (PostgreSqlDatabase database = database()) {
            database.prepare();
        }
        assertThat(schema.query(tenants)).as("before a Nacos 3").contains(List.of("a", "", "x"));

        schema.execute(
                "INSERT INTO config_info (data_id, group_id, tenant_id, content) VALUES ('a', 'g', 'public', 'z')");
        try (PostgreSqlDatabase database = database()) {
            database.prepare();
        }

        assertThat(schema.query(tenants))
                .containsExactly(
                        List.of("a", "dev", "y"),
                        List.of("a", "public", "x"),
                        List.of("b", "", "old"),
                        List.of("b", "public", "new"));
    }

    @Test
    void theSqlFileForOperatorsCreatesTheSameSchema() throws Exception {
        try (TestSchema byHand = TestSchema.create(PostgreSqlSchemaIT.class);
                PostgreSqlDatabase made = database();
                PostgreSqlDatabase found = new PostgreSqlDatabase(PostgreSqlTestDatabase.settings(byHand))) {
            made.prepare();
            byHand.execute(PostgreSqlSchemaFile.FILE.text());

            for (String query : List.of(COLUMNS, KEYS, SCRIPTS)) {
                assertThat(byHand.query(query)).isNotEmpty().isEqualTo(schema.query(query));
            }
            assertThat(found.dryRun()).isEmpty();
            found.prepare();
            assertPublishes(found, "1");
        }
    }

    @Test
    void aDryRunOnAnEmptyDatabasePrintsAllScriptsAndMakesNothing() {
        try (PostgreSqlDatabase database = database()) {
            List<String> plan = database.dryRun();

            assertThat(plan).first().asString().contains("CREATE TABLE IF NOT EXISTS config_info (");
            assertThat(plan).anySatisfy(script -> assertThat(script).contains("cairn_revision"));
            assertThat(schema.query(TABLES)).isEmpty();
        }
    }

    @Test
    void nodesThatStartTogetherMakeTheTablesOnce() throws Exception {
        try (PostgreSqlDatabase one = database();
                PostgreSqlDatabase two = database()) {
            CompletableFuture<Void> first = CompletableFuture.runAsync(one::prepare);
            CompletableFuture<Void> second = CompletableFuture.runAsync(two::prepare);
            first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            assertThat(schema.query("SELECT version FROM cairn_schema_history WHERE version <> '0'"))
                    .containsExactly(List.of("1"), List.of("8"), List.of("9"), List.of("10"));
            assertPublishes(one, "1");
            assertPublishes(two, "2");
        }
    }

    @Test
    void aScriptThatFailsLeavesNothing() {
        schema.execute("CREATE TABLE cairn_node (other int)");
        schema.execute("CREATE TABLE cairn_revision (other int)");
        try (PostgreSqlDatabase database = database()) {
            assertThatThrownBy(database::prepare).isInstanceOf(CairnException.class);

            assertThat(schema.query(TABLES))
                    .extracting(row -> row.get(1))
                    .containsExactlyInAnyOrder("cairn_node", "cairn_revision");
        }
    }

    @Test
    void aUserWithoutTheRightToCreateTablesUsesPresentOnes() {
        schema.executeOnServer("DROP ROLE IF EXISTS cairn_writer");
        schema.executeOnServer("CREATE ROLE cairn_writer LOGIN");
        try (PostgreSqlDatabase restricted = database("", "cairn_writer")) {
            assertThatThrownBy(restricted::prepare).isInstanceOfSatisfying(CairnException.class, failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
                assertThat(failure.text()).contains("the user lacks a privilege");
            });
            try (PostgreSqlDatabase owner = database()) {
                owner.prepare();
            }
            schema.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO cairn_writer");
            schema.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO cairn_writer");

            restricted.prepare();

            assertPublishes(restricted, "1");
        }
    }

    @Test
    void usesTheSchemaThatTheUrlNames() {
        schema.execute("CREATE SCHEMA nacos");
        try (PostgreSqlDatabase database = database("?currentSchema=nacos", schema.user())) {
            database.prepare();

            assertPublishes(database, "1");
        }
        assertThat(schema.query(TABLES)).extracting(row -> row.get(0)).containsOnly("nacos");
    }

    @Test
    void aNewerSchemaIsUsedAsItIsWhereItsReleaseAllowsThat() {
        try (PostgreSqlDatabase database = database()) {
            database.prepare();
        }
        schema.execute("INSERT INTO cairn_schema_history (installed_rank, version, description, type, script,"
                + " checksum, installed_by, execution_time, success)"
                + " VALUES (100, '" + NEWER + "', 'newer', 'SQL', 'newer.sql', 1, '', 0, true)");
        try (PostgreSqlDatabase database = database()) {
            assertThat(database.dryRun()).isEmpty();
            database.prepare();
            assertPublishes(database, "1");
        }
        schema.execute("UPDATE cairn_schema SET readable_from = " + NEWER);
        try (PostgreSqlDatabase database = database()) {
            assertThatThrownBy(database::prepare)
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("version " + NEWER + " can be used from " + NEWER + " on");
        }
    }

    @Test
    void choosesTheWritableSourceAndReadsOnly() throws Exception {
        ServerSettings.Source nowhere =
                new ServerSettings.Source("jdbc:postgresql://127.0.0.1:1/none", schema.user(), schema.password());
        ServerSettings.Source there = new ServerSettings.Source(schema.url(), schema.user(), schema.password());
        try (PostgreSqlDatabase database =
                new PostgreSqlDatabase(new ServerSettings(List.of(nowhere, there), ServerSettings.Pool.DEFAULT))) {
            database.prepare();

            assertThat(database).hasToString(schema.url());
            try (Connection reader = database.openReader();
                    Statement statement = reader.createStatement()) {
                assertThat(reader.getCatalog()).isEqualTo(schema.name());
                reader.setAutoCommit(false);
                assertThatThrownBy(() -> statement.execute("DELETE FROM config_info"))
                        .isInstanceOf(SQLException.class);
            }
        }
        try (PostgreSqlDatabase database =
                new PostgreSqlDatabase(new ServerSettings(List.of(nowhere), ServerSettings.Pool.DEFAULT))) {
            assertThatThrownBy(database::prepare)
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("no connection to the database (Connection");
        }
    }

    @Test
    void reportsAnUnknownDatabaseAndAReadOnlyOneInOneLine() {
        try (PostgreSqlDatabase nowhere = new PostgreSqlDatabase(new ServerSettings(
                List.of(new ServerSettings.Source(
                        schema.server() + "/cairn_test_nowhere", schema.user(), schema.password())),
                ServerSettings.Pool.DEFAULT))) {
            assertThatThrownBy(nowhere::prepare)
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("the database does not exist");
        }
        schema.executeOnServer("ALTER DATABASE " + schema.name() + " SET default_transaction_read_only = on");
        try (PostgreSqlDatabase readOnly = database()) {
            assertThatThrownBy(readOnly::prepare)
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("the database is read-only");
        }
    }
}

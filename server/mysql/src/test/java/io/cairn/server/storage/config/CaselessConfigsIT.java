package io.cairn.server.storage.config;

import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.server.storage.SampleCommands.remove;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.attention.Finding;
import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.DatabaseFindings;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.mysql.MySqlDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import io.cairn.server.storage.mysql.NacosGeneration;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Configurations in a database of Nacos whose tables compare upper and lower case letters as equal. */
@Tag("full")
@Tag("mysql")
class CaselessConfigsIT {

    @Test
    void theDryRunNamesTablesWithoutCaseAndPermissionsWithoutEffect() throws Exception {
        try (TestSchema schema = TestSchema.create(CaselessConfigsIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            NacosGeneration.V2_5.create(schema);
            for (String table : List.of("config_info", "users", "his_config_info")) {
                schema.execute("ALTER TABLE " + table + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci");
            }
            schema.execute(
                    "INSERT INTO permissions (role, resource, action) VALUES ('dev', '(a|b):*:*', 'rw'), ('ops', ' a:*:*', 'r')");

            assertThat(database.dryRun()).isNotEmpty();

            assertThat(database.remarks())
                    .satisfiesExactly(
                            names -> assertThat(names)
                                    .startsWith("The unique keys of config_info (utf8mb4_unicode_ci)")
                                    .contains("users (utf8mb4_unicode_ci)")
                                    .contains("ALTER TABLE config_info CONVERT")
                                    .doesNotContain("his_config_info"),
                            permissions -> assertThat(permissions)
                                    .startsWith("Permissions that allow nothing: 2 (")
                                    .contains("role dev: '(a|b):*:*' rw: no namespace can match '(a|b)'")
                                    .contains("role ops: ' a:*:*' r: no namespace can match ' a'"));
        }
    }

    @Test
    void aConfigurationIsNotChangedUnderANameInOtherLetters() throws Exception {
        try (TestSchema schema = TestSchema.create(CaselessConfigsIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            NacosGeneration.V2_5.create(schema);
            schema.execute("ALTER TABLE config_info CONVERT TO CHARACTER SET utf8 COLLATE utf8_general_ci");
            database.prepare();
            try (TestStore store =
                    TestStore.start(new TestDatabase(database::openWriter, database::openReader, database.dialect()))) {
                store.publish("app.yaml", "a: 1");

                for (String content : List.of("a: 2", "x".repeat(40 * 1024))) {
                    assertThatThrownBy(() -> store.tryToPublish(publish("APP.yaml", content)))
                            .as("%d bytes", content.length())
                            .isInstanceOfSatisfying(CairnException.class, refusal -> assertThat(refusal.code())
                                    .isEqualTo(ErrorCode.INVALID_PARAMETER))
                            .hasMessageContaining("a name that differs from 'APP.yaml")
                            .hasMessageContaining("in upper and lower case alone is stored")
                            .hasMessageContaining("config_info (utf8")
                            .hasMessageContaining("ALTER TABLE config_info CONVERT TO CHARACTER SET utf8mb4")
                            .hasMessageNotContaining("Duplicate entry");
                }
                assertThat(new DatabaseFindings(database, store.writer, Clock.systemUTC()).findings(Namespace.DEFAULT))
                        .filteredOn(finding -> finding.kind() == Finding.Kind.CASE_IGNORED)
                        .singleElement()
                        .satisfies(finding -> assertThat(finding.detail())
                                .contains("config_info (utf8")
                                .contains("ALTER TABLE config_info CONVERT")
                                .doesNotContain("his_config_info"));
                assertThat(store.remove(remove("APP.yaml"))).isEmpty();
                assertThat(store.query("SELECT data_id, content FROM config_info WHERE data_id = 'app.yaml'"))
                        .containsExactly(List.of("app.yaml", "a: 1"));
                assertThat(store.column("SELECT op_type FROM his_config_info WHERE data_id = 'app.yaml'"))
                        .containsExactly("I");
            }
        }
    }
}

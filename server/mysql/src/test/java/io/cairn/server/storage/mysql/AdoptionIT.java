package io.cairn.server.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.server.ServerSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A database that Nacos has used is taken over as it is, and Nacos can have it back. */
@Tag("full")
@Tag("mysql")
class AdoptionIT {

    private static final ConfigKey A = new ConfigKey(Namespace.DEFAULT, "g", "a.yaml");

    @ParameterizedTest
    @EnumSource
    void adoptionKeepsEveryRowAndNacosCanGoOn(NacosGeneration generation) throws Exception {
        try (TestSchema schema = TestSchema.create(AdoptionIT.class)) {
            generation.create(schema);
            Map<String, List<List<String>>> before = rows(schema);

            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                assertThat(database.dryRun()).isNotEmpty();
                assertThat(rows(schema)).as("a dry run changes nothing").isEqualTo(before);
                database.prepare();
                assertThat(database.dryRun()).isEmpty();

                Map<String, List<List<String>>> after = rows(schema);
                before.forEach((table, rows) -> assertThat(columnsOf(rows, after.get(table)))
                        .as("rows of %s", table)
                        .containsAll(rows));
                useIt(database, generation);
            }

            generation.goesOn().forEach(schema::execute);
            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                database.prepare();
                try (TestStore store = TestStore.start(open(database))) {
                    assertThat(store.content(new ConfigKey(Namespace.DEFAULT, "g", "back.yaml")))
                            .isEqualTo("back: 1");
                    assertThat(store.content(A)).isEqualTo("a: 2");
                }
            }
        }
    }

    private static void useIt(MySqlDatabase database, NacosGeneration generation) {
        try (TestStore store = TestStore.start(open(database))) {
            assertThat(store.content(A)).isEqualTo("a: 1");
            assertThat(store.content(new ConfigKey(new Namespace("dev"), "g", "a.yaml")))
                    .isEqualTo("a: dev");
            assertThat(store.content(new ConfigKey(Namespace.DEFAULT, "g", "nach-ä.txt")))
                    .isEqualTo("größe 中文");
            assertThat(store.entries())
                    .filteredOn(entry -> entry.gray() == null)
                    .hasSize(generation.spellsPublic ? 4 : 3);
            ConfigEntry beta = store.view.grayEntry(A, new GrayClient("10.0.0.2", null));
            assertThat(new String(store.store.load(beta).orElseThrow().utf8(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("a: beta");
            ConfigEntry tagged = store.view.grayEntry(A, new GrayClient("10.0.0.9", "blue"));
            assertThat(new String(
                            store.store.load(tagged).orElseThrow().utf8(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("a: tag_blue");
            assertThat(store.view.grayEntry(A, new GrayClient("10.0.0.9", null)))
                    .isNull();
            if (generation.spellsPublic) {
                assertThat(store.content(new ConfigKey(Namespace.DEFAULT, "g", "only-old.txt")))
                        .isEqualTo("old");
            }

            store.publish(SampleCommands.publish(A, "a: 2"));

            assertThat(store.column(
                            "SELECT content FROM config_info WHERE data_id = 'a.yaml' AND tenant_id = ?",
                            generation.defaultTenant()))
                    .containsExactly("a: 2");
            assertThat(store.query(
                            "SELECT content, op_type, tenant_id, publish_type FROM his_config_info ORDER BY nid"))
                    .last()
                    .isEqualTo(List.of("a: 1", "U", generation.defaultTenant(), "formal"));
            assertThat(store.column(
                            "SELECT tag_name FROM config_tags_relation WHERE data_id = 'a.yaml'" + " AND tenant_id = ?",
                            generation.defaultTenant()))
                    .containsExactly("shop");
            refusesValuesThatANarrowTableCannotStore(store);
        }
    }

    private static void refusesValuesThatANarrowTableCannotStore(TestStore store) {
        assertThatThrownBy(() -> store.publish(SampleCommands.publish(A, "a: 🚀")))
                .isInstanceOfSatisfying(CairnException.class, refusal -> {
                    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
                    assertThat(refusal.text())
                            .containsPattern("column content(, or another text column,)? of table")
                            .contains("config_info")
                            .contains("ALTER TABLE config_info CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
                });
        assertThat(store.content(A)).isEqualTo("a: 2");
    }

    @ParameterizedTest
    @EnumSource
    void noColumnIsAddedThatNacosWouldHaveToFill(NacosGeneration generation) throws Exception {
        try (TestSchema schema = TestSchema.create(AdoptionIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            generation.create(schema);
            List<List<String>> before = query(schema, COLUMNS);

            database.prepare();

            List<List<String>> after = query(schema, COLUMNS);
            assertThat(after).as("columns are as they were").containsAll(before);
            after.removeAll(before);
            assertThat(after)
                    .filteredOn(column ->
                            before.stream().anyMatch(known -> known.get(0).equals(column.get(0))))
                    .allSatisfy(column -> assertThat(column.get(2).equals("YES") || column.get(3) != null)
                            .as("%s", column)
                            .isTrue());
        }
    }

    private static final String COLUMNS = "SELECT table_name, column_name, is_nullable, column_default, column_type,"
            + " character_set_name FROM information_schema.columns WHERE table_schema = DATABASE()"
            + " AND table_name NOT LIKE 'cairn%'";

    @Test
    void refusesADatabaseOfAnotherProgram() throws Exception {
        try (TestSchema schema = TestSchema.create(AdoptionIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            schema.execute("CREATE TABLE config_info (id int PRIMARY KEY, name varchar(10))");

            assertThatThrownBy(database::prepare)
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("table config_info has no column data_id, so it is not one of Nacos");
            assertThat(query(schema, COLUMNS)).hasSize(2);
        }
    }

    /** As MySQL is by default: it refuses to copy a time of zero. */
    @Test
    void releasesThatTheNewTableCannotHoldAreNotCopiedAndNamed() throws Exception {
        try (TestSchema schema = TestSchema.create(AdoptionIT.class);
                MySqlDatabase database = new MySqlDatabase(new ServerSettings(
                        List.of(new ServerSettings.Source(
                                schema.url()
                                        + "?sessionVariables=sql_mode='STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'",
                                schema.user(),
                                schema.password())),
                        ServerSettings.Pool.DEFAULT))) {
            NacosGeneration.V2_4.create(schema);
            String columns = " (data_id, group_id, tenant_id, content, beta_ips, encrypted_data_key) VALUES ";
            schema.execute("INSERT INTO config_info_beta" + columns + "('odd', 'g', '', 'b', '1.1.1.1', ''),"
                    + " ('odd', 'g', NULL, 'b', '1.1.1.1', ''), ('odd', 'g', NULL, 'b', '1.1.1.1', ''),"
                    + " ('key', 'g', '', 'b', '1.1.1.1', '" + "k".repeat(257) + "')");
            schema.execute("INSERT INTO config_info_tag (data_id, group_id, content, tag_id) VALUES ('odd', 'g', 't', '"
                    + "t".repeat(128) + "')");
            schema.execute("INSERT INTO config_info (data_id, content) VALUES ('without-group', 'c')");
            try (Connection lenient = schema.connect();
                    Statement statement = lenient.createStatement()) {
                statement.execute("SET SESSION sql_mode = ''");
                statement.execute("UPDATE config_info_beta SET gmt_create = 0, gmt_modified = 0 WHERE tenant_id = ''");
            }

            assertThat(database.dryRun()).isNotEmpty();
            assertThat(database.leftOut().present())
                    .extracting(left -> left.table() + ' ' + left.rows())
                    .containsExactly("config_info 1", "config_info_beta 1", "config_info_tag 1");
            database.prepare();

            try (TestStore store = TestStore.start(open(database))) {
                ConfigKey odd = new ConfigKey(Namespace.DEFAULT, "g", "odd");
                assertThat(store.view.grayEntries(odd))
                        .singleElement()
                        .satisfies(gray -> assertThat(gray.lastModifiedMillis()).isZero());
                assertThat(store.view.grayEntries(A)).hasSize(2);
                assertThat(store.readers.leftOut().present())
                        .extracting(left -> left.table() + ' ' + left.rows())
                        .containsExactly("config_info 1", "config_info_gray 2");
                assertThat(store.content(A)).isEqualTo("a: 1");
            }
        }
    }

    private static TestDatabase open(MySqlDatabase database) {
        return new TestDatabase(database::openWriter, database::openReader, database.dialect());
    }

    /** All rows of all tables that are not Cairn's own. */
    private static Map<String, List<List<String>>> rows(TestSchema schema) throws Exception {
        Map<String, List<List<String>>> all = new LinkedHashMap<>();
        for (List<String> table : query(
                schema,
                "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
                        + " AND table_name NOT LIKE 'cairn%' ORDER BY 1")) {
            all.put(table.get(0), query(schema, "SELECT * FROM " + table.get(0)));
        }
        return all;
    }

    /** The rows without columns that have been added behind. */
    private static List<List<String>> columnsOf(List<List<String>> before, List<List<String>> after) {
        int columns = before.isEmpty() ? 0 : before.get(0).size();
        return after.stream().map(row -> row.subList(0, columns)).toList();
    }

    private static List<List<String>> query(TestSchema schema, String sql) throws Exception {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            ResultSetMetaData columns = rows.getMetaData();
            List<List<String>> all = new ArrayList<>();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    row.add(rows.getString(i));
                }
                all.add(row);
            }
            return all;
        }
    }
}

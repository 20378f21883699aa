package io.cairn.server.storage.postgresql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.Author;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.postgresql.TestSchema;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.namespace.JdbcCapacityStore;
import io.cairn.server.storage.namespace.JdbcNamespaceStore;
import io.cairn.server.storage.server.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Databases that Nacos has made and filled. */
@Tag("full")
class PostgreSqlAdoptionIT {

    private static final String COLUMNS = "SELECT table_name, column_name, data_type, character_maximum_length,"
            + " is_nullable FROM information_schema.columns WHERE table_schema = current_schema()";
    private static final List<String> TABLES = List.of(
            "config_info",
            "config_info_beta",
            "config_info_tag",
            "config_tags_relation",
            "his_config_info",
            "tenant_info",
            "users",
            "roles",
            "permissions");

    private TestSchema schema;
    private PostgreSqlDatabase database;

    @BeforeEach
    void create() {
        schema = TestSchema.create(PostgreSqlAdoptionIT.class);
        database = new PostgreSqlDatabase(new ServerSettings(
                List.of(new ServerSettings.Source(schema.url(), schema.user(), schema.password())),
                ServerSettings.Pool.DEFAULT));
    }

    @AfterEach
    void drop() {
        database.close();
        schema.close();
    }

    private TestStore start() {
        return TestStore.start(new TestDatabase(database::openWriter, database::openReader, database.dialect()));
    }

    private void config(int id, String dataId, String tenant, String content, String time) {
        schema.execute("INSERT INTO config_info (id, data_id, group_id, tenant_id, content, md5, gmt_create,"
                + " gmt_modified, src_ip, type, encrypted_data_key) VALUES (" + id + ", '" + dataId
                + "', 'DEFAULT_GROUP', " + tenant + ", '" + content + "', '" + SampleCommands.md5(content) + "', '"
                + time
                + "', '" + time + "', '10.0.0.1', 'text', '')");
    }

    private void fill(NacosSchema made) {
        made.createTables(schema);
        config(1, "plain", "''", "1", "2024-01-01 00:00:00");
        config(2, "of-dev", "'dev'", "2", "2024-01-01 00:00:00");
        schema.execute("INSERT INTO config_tags_relation (id, tag_name, tag_type, data_id, group_id, tenant_id)"
                + " VALUES (1, 'red', '', 'plain', 'DEFAULT_GROUP', '')");
        schema.execute("INSERT INTO his_config_info (id, data_id, group_id, tenant_id, content, md5, gmt_modified,"
                + " op_type, encrypted_data_key) VALUES (1, 'plain', 'DEFAULT_GROUP', '', '1', '"
                + SampleCommands.md5("1") + "', '2024-01-01 00:00:00', 'I', '')");
        schema.execute("INSERT INTO tenant_info (kp, tenant_id, tenant_name, tenant_desc, create_source, gmt_create,"
                + " gmt_modified) VALUES ('1', 'dev', 'Development', '', 'nacos', " + made.namespaceTime() + ", "
                + made.namespaceTime() + ")");
        schema.execute("INSERT INTO users VALUES ('nacos', 'x', true)");
        schema.execute("INSERT INTO roles VALUES ('nacos', 'ROLE_ADMIN')");
    }

    private List<List<String>> rows() {
        List<List<String>> all = new ArrayList<>();
        for (String table : TABLES) {
            all.addAll(schema.query("SELECT '" + table + "', t.* FROM " + table + " t ORDER BY 2, 3"));
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void bothSchemasAreTakenOverAndKeepTheirColumnsAndRows(NacosSchema made) {
        fill(made);
        List<List<String>> columns = schema.query(COLUMNS);
        List<List<String>> before = rows();

        List<String> plan = database.dryRun();

        assertThat(plan).anySatisfy(sql -> assertThat(sql).contains("cairn_revision"));
        assertThat(schema.query(COLUMNS)).isEqualTo(columns);
        assertThat(rows()).isEqualTo(before);
        assertThat(database.remarks()).isEmpty();

        database.prepare();

        assertThat(schema.query(COLUMNS)).containsAll(columns);
        for (List<String> row : before) {
            assertThat(rows()).anySatisfy(now -> assertThat(now).startsWith(row.toArray(String[]::new)));
        }
        assertThat(database.dryRun()).isEmpty();
        try (TestStore store = start()) {
            assertThat(store.content("plain")).isEqualTo("1");
            assertThat(store.content(new ConfigKey(Namespace.ofNullable("dev"), "DEFAULT_GROUP", "of-dev")))
                    .isEqualTo("2");
            store.publish("plain", "changed");
            store.publish("new", "1");
            assertThat(store.content("plain")).isEqualTo("changed");
            assertThat(schema.query("SELECT content FROM config_info WHERE data_id = 'plain'"))
                    .containsExactly(List.of("changed"));
            JdbcNamespaceStore namespaces = new JdbcNamespaceStore(store.writer, store.readers);
            TestStore.get(
                    namespaces.create(new StoredNamespace(Namespace.ofNullable("test"), "Another", ""), Caller.SERVER));
            assertThat(namespaces.created())
                    .extracting(namespace -> namespace.namespace().id())
                    .containsExactly("test", "dev");
            TestStore.get(new JdbcCapacityStore(store.writer, store.readers)
                    .set(CapacityScope.ofGroup("G"), new CapacityChange(5, null, null, null), Caller.SERVER));
            assertThat(schema.query("SELECT quota, usage FROM group_capacity")).containsExactly(List.of("5", "0"));
        }
    }

    @Test
    void nullIsTheDefaultNamespaceAndOfDuplicatesTheNewestCounts() {
        NacosSchema.PLUGIN.createTables(schema);
        config(1, "alone", "NULL", "1", "2024-01-01 00:00:00");
        config(2, "twice", "NULL", "old", "2024-01-01 00:00:00");
        config(3, "twice", "NULL", "new", "2024-01-02 00:00:00");
        config(4, "equal", "NULL", "lower id", "2024-01-01 00:00:00");
        config(5, "equal", "NULL", "higher id", "2024-01-01 00:00:00");
        config(6, "mixed", "''", "older", "2024-01-01 00:00:00");
        config(7, "mixed", "NULL", "newer", "2024-01-02 00:00:00");
        config(8, "kept", "''", "newer", "2024-01-02 00:00:00");
        config(9, "kept", "NULL", "older", "2024-01-01 00:00:00");
        for (int id : List.of(2, 3)) {
            schema.execute("INSERT INTO config_tags_relation (id, tag_name, tag_type, data_id, group_id, tenant_id)"
                    + " VALUES (" + id + ", 'tag-" + id + "', '', 'twice', 'DEFAULT_GROUP', NULL)");
        }
        schema.execute(
                "INSERT INTO his_config_info (id, data_id, group_id, tenant_id, content, gmt_modified, op_type,"
                        + " encrypted_data_key) VALUES (1, 'alone', 'DEFAULT_GROUP', NULL, '1', '2024-01-01 00:00:00', 'I', '')");

        database.dryRun();

        String of = "' of group 'DEFAULT_GROUP' of the default namespace more than once: id ";
        assertThat(database.remarks())
                .containsExactlyInAnyOrder(
                        "Rows of config_info that name 'twice" + of
                                + "3 counts, because it is the newest; left out: id 2",
                        "Rows of config_info that name 'equal" + of
                                + "5 counts, because it is the newest; left out: id 4",
                        "Rows of config_info that name 'mixed" + of
                                + "7 counts, because it is the newest; left out: id 6",
                        "Rows of config_info that name 'kept" + of
                                + "8 counts, because it is the newest; left out: id 9");
        assertThat(database.leftOut().present())
                .filteredOn(left -> left.table().equals("config_info"))
                .extracting(LeftOutRows.OfTable::rows)
                .containsExactly(4L);
        assertThat(schema.query("SELECT COUNT(*) FROM config_info WHERE tenant_id IS NULL"))
                .containsExactly(List.of("7"));

        database.prepare();

        try (TestStore store = start()) {
            for (String name : List.of("alone=1", "twice=new", "equal=higher id", "mixed=newer", "kept=newer")) {
                String[] parts = name.split("=");
                assertThat(store.content(parts[0])).as(name).isEqualTo(parts[1]);
                assertThat(store.view.entry(SampleCommands.key(parts[0])))
                        .as(name)
                        .extracting(ConfigEntry::digest)
                        .isEqualTo(ContentDigest.of(parts[1]));
            }
            assertThat(schema.query("SELECT id FROM config_info WHERE tenant_id IS NULL ORDER BY id"))
                    .containsExactly(List.of("2"), List.of("4"), List.of("6"), List.of("9"));
            assertThat(schema.query("SELECT tag_name FROM config_tags_relation WHERE tenant_id = ''"))
                    .containsExactly(List.of("tag-3"));
            assertThat(schema.query("SELECT COUNT(*) FROM his_config_info WHERE tenant_id = ''"))
                    .containsExactly(List.of("1"));
            store.publish("twice", "again");
            assertThat(store.content("twice")).isEqualTo("again");
        }
    }

    @Test
    void releasesOfTheOldTablesAreCopied() {
        NacosSchema.PLUGIN.createTables(schema);
        config(1, "a", "NULL", "1", "2024-01-01 00:00:00");
        schema.execute("INSERT INTO config_info_beta (data_id, group_id, tenant_id, content, md5, beta_ips, gmt_create,"
                + " gmt_modified, encrypted_data_key) VALUES ('a', 'DEFAULT_GROUP', NULL, 'beta', '"
                + SampleCommands.md5("beta") + "', '10.0.0.1,10.0.0.2', now(), now(), '')");
        schema.execute("INSERT INTO config_info_tag (data_id, group_id, tenant_id, tag_id, content, md5, gmt_create,"
                + " gmt_modified) VALUES ('a', 'DEFAULT_GROUP', '', 'a\"b\\c', 'tagged', '"
                + SampleCommands.md5("tagged") + "', now(), now())");

        database.prepare();

        try (TestStore store = start()) {
            assertThat(store.view.grayEntries(SampleCommands.key("a")))
                    .extracting(entry -> Objects.requireNonNull(entry.gray()))
                    .extracting(GrayRule::name, GrayRule::expression)
                    .containsExactlyInAnyOrder(
                            org.assertj.core.groups.Tuple.tuple("beta", "10.0.0.1,10.0.0.2"),
                            org.assertj.core.groups.Tuple.tuple("tag_a\"b\\c", "a\"b\\c"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAddressThatTheColumnHasNoRoomForIsInTheAuditLogAlone(NacosSchema made) {
        fill(made);
        database.prepare();
        try (TestStore store = start()) {
            String address = "2001:db8:1234:5678:9abc:def0:1234:5678";
            store.publish(SampleCommands.publish(
                    SampleCommands.key("a"), "1", null, SampleCommands.PLAIN, new Author("anna", address)));

            assertThat(schema.query("SELECT src_ip FROM config_info WHERE data_id = 'a'"))
                    .containsExactly(List.of(""));
            assertThat(store.column("SELECT address FROM cairn_audit")).containsExactly(address);
        }
    }

    @Test
    void aTableThatIsNotOfNacosIsRefused() {
        schema.execute("CREATE TABLE config_info (id bigserial PRIMARY KEY, name text)");

        assertThat(org.assertj.core.api.Assertions.catchThrowable(database::prepare))
                .hasMessageContaining("table config_info has no column data_id, so it is not one of Nacos");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(schema.query("SELECT 1 FROM pg_tables WHERE tablename LIKE 'cairn%'"))
                        .isEmpty());
    }
}

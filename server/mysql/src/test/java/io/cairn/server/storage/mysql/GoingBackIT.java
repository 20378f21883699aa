package io.cairn.server.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.mysql.TestSchema;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.access.JdbcAccountStore;
import io.cairn.server.storage.namespace.JdbcNamespaceStore;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nacos can use a database that Cairn has written to. The test uses the columns that each generation of Nacos reads and
 * writes.
 */
@Tag("full")
@Tag("mysql")
class GoingBackIT {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "g", "by-cairn.yaml");

    @ParameterizedTest
    @EnumSource
    void nacosReadsAndChangesTheDataOfCairn(NacosGeneration generation) throws Exception {
        try (TestSchema schema = TestSchema.create(GoingBackIT.class)) {
            generation.create(schema);
            writeAsCairn(schema);
            String tenant = generation.defaultTenant();
            String ofKey = " WHERE data_id='by-cairn.yaml' AND group_id='g' AND tenant_id='" + tenant + "'";

            // The statement of Nacos at its start, when it dumps all configurations.
            assertThat(schema.query("SELECT data_id,group_id,tenant_id,app_name,content,md5,type FROM config_info"
                            + " WHERE id > 0 ORDER BY id ASC LIMIT 0,1000"))
                    .contains(
                            List.of("by-cairn.yaml", "g", tenant, "shop", "v: 2", SampleCommands.md5("v: 2"), "yaml"));
            assertThat(schema.query("SELECT id,app_name,content,md5,c_desc,c_use,effect,type,c_schema,src_user"
                            + " FROM config_info" + ofKey))
                    .singleElement()
                    .satisfies(row -> assertThat(row.subList(1, row.size()))
                            .containsExactly(
                                    "shop",
                                    "v: 2",
                                    SampleCommands.md5("v: 2"),
                                    "about",
                                    "use",
                                    "effect",
                                    "yaml",
                                    "{}",
                                    "anna"));
            assertThat(schema.query("SELECT tag_name FROM config_tags_relation" + ofKey + " ORDER BY nid"))
                    .containsExactly(List.of("red"), List.of("blue"));
            assertThat(schema.query("SELECT content,op_type FROM his_config_info" + ofKey + " ORDER BY nid DESC"))
                    .extracting(row -> row.get(0) + ' ' + row.get(1).trim())
                    .containsExactly("blue I", "v: 1 U", "v: 1 I");
            assertThat(schema.query("SELECT tenant_id,tenant_name,tenant_desc FROM tenant_info WHERE kp='1'"))
                    .contains(List.of("later", "Later", "of Cairn"));
            assertThat(schema.query("SELECT username,password FROM users WHERE username='ben'"))
                    .containsExactly(List.of("ben", "$2a$10$hash"));
            assertThat(schema.query("SELECT role,username FROM roles WHERE username='ben'"))
                    .containsExactly(List.of("dev", "ben"));
            assertThat(schema.query("SELECT role,resource,action FROM permissions WHERE role='dev'"))
                    .contains(List.of("dev", "later:*:*", "r"));
            if (generation.hasGray()) {
                assertThat(schema.query("SELECT gray_name,content,md5 FROM config_info_gray" + ofKey))
                        .containsExactly(List.of("tag_blue", "blue", SampleCommands.md5("blue")));
                assertThat(schema.query("SELECT gray_rule FROM config_info_gray" + ofKey)
                                .get(0)
                                .get(0))
                        .satisfies(rule -> assertThat(Pattern.compile("\"(type|version|expr|priority)\"")
                                        .matcher(rule)
                                        .results())
                                .hasSize(4));
            }

            changeAsNacos(schema, ofKey, tenant);

            try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
                database.prepare();
                try (TestStore store = start(database)) {
                    assertThat(store.content(KEY)).isEqualTo("v: 3");
                    assertThat(store.content(new ConfigKey(Namespace.DEFAULT, "g", "by-nacos")))
                            .isEqualTo("new");
                    assertThat(new JdbcAccountStore(store.writer, store.readers)
                                    .load()
                                    .users())
                            .extracting(user -> user.name())
                            .doesNotContain("ben");
                }
            }
        }
    }

    /** Nacos 3 moves its own rows of the default namespace from '' to public. */
    @Test
    void releasesThatNacosDoesNotKnowFollowTheDefaultNamespace() throws Exception {
        try (TestSchema schema = TestSchema.create(GoingBackIT.class)) {
            prepare(schema);
            schema.execute(
                    "INSERT INTO cairn_config_gray (data_id, group_id, tenant_id, content, gray_name, gray_rule) VALUES"
                            + " ('a', 'g', '', 'x', 'zone-a', '{}'), ('b', 'g', '', 'old', 'zone-a', '{}'),"
                            + " ('b', 'g', 'public', 'new', 'zone-a', '{}'), ('a', 'g', 'dev', 'y', 'zone-a', '{}')");
            String tenants = "SELECT data_id, tenant_id, content FROM cairn_config_gray ORDER BY data_id, tenant_id";
            prepare(schema);
            assertThat(schema.query(tenants)).as("before a Nacos 3").contains(List.of("a", "", "x"));

            schema.execute(
                    "INSERT INTO config_info (data_id, group_id, tenant_id, content) VALUES ('a', 'g', 'public', 'z')");
            prepare(schema);

            assertThat(schema.query(tenants))
                    .containsExactly(
                            List.of("a", "dev", "y"),
                            List.of("a", "public", "x"),
                            List.of("b", "", "old"),
                            List.of("b", "public", "new"));
        }
    }

    private static void prepare(TestSchema schema) {
        try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            database.prepare();
        }
    }

    private static TestStore start(MySqlDatabase database) {
        return TestStore.start(new TestDatabase(database::openWriter, database::openReader, database.dialect()));
    }

    private static void writeAsCairn(TestSchema schema) {
        try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            database.prepare();
            try (TestStore store = start(database)) {
                ConfigAttributes all = new ConfigAttributes(
                        ConfigType.YAML, "shop", "about", "use", "effect", "{}", List.of("red", "blue"), "");
                store.publish(SampleCommands.publish(KEY, "v: 1", null, all, SampleCommands.ANNA));
                store.publish(SampleCommands.publish(KEY, "v: 2", null, all, SampleCommands.ANNA));
                var blue = SampleCommands.publishForTag("blue", "x", "blue", null);
                store.publish(new io.cairn.server.config.PublishConfig(
                        KEY, blue.utf8(), blue.digest(), null, blue.attributes(), blue.gray(), SampleCommands.ANNA));
                TestStore.get(new JdbcNamespaceStore(store.writer, store.readers)
                        .create(new StoredNamespace(new Namespace("later"), "Later", "of Cairn"), Caller.SERVER));
                TestStore.get(new JdbcAccountStore(store.writer, store.readers)
                        .apply(
                                List.of(
                                        new AccountChange.CreateUser("ben", "$2a$10$hash", false),
                                        new AccountChange.GrantRole("dev", "ben"),
                                        new AccountChange.AddPermission("dev", "later:*:*", "r")),
                                AuditRecord.of(Caller.SERVER, "test", "ben")));
            }
        }
    }

    /** Each statement uses only the columns that Nacos writes, so all further columns of Cairn must have a default. */
    private static void changeAsNacos(TestSchema schema, String ofKey, String tenant) {
        schema.execute("UPDATE config_info SET content='v: 3', md5='" + SampleCommands.md5("v: 3")
                + "', src_ip='10.0.0.9', src_user='nacos', gmt_modified='2031-01-02 03:04:05', app_name='shop',"
                + " c_desc='about', c_use='use', effect='effect', type='yaml', c_schema='{}'" + ofKey);
        schema.execute("INSERT INTO his_config_info (id,data_id,group_id,tenant_id,app_name,content,md5,src_ip,"
                + "src_user,gmt_modified,op_type) SELECT id,data_id,group_id,tenant_id,app_name,'v: 2','"
                + SampleCommands.md5("v: 2") + "',src_ip,src_user,gmt_modified,'U' FROM config_info" + ofKey);
        schema.execute("INSERT INTO config_info (data_id,group_id,tenant_id,app_name,content,md5,src_ip,src_user,"
                + "gmt_create,gmt_modified,c_desc,c_use,effect,type,c_schema) VALUES ('by-nacos','g','" + tenant
                + "','','new','" + SampleCommands.md5("new") + "','10.0.0.9','nacos','2031-01-02 03:04:05',"
                + "'2031-01-02 03:04:05',NULL,NULL,NULL,'text',NULL)");
        schema.execute("DELETE FROM config_tags_relation" + ofKey + " AND tag_name='red'");
        schema.execute("UPDATE tenant_info SET tenant_name='Now', tenant_desc='d', gmt_modified=5 WHERE kp='1'"
                + " AND tenant_id='later'");
        schema.execute("DELETE FROM permissions WHERE role='dev' AND resource='later:*:*' AND action='r'");
        schema.execute("DELETE FROM roles WHERE role='dev' AND username='ben'");
        schema.execute("DELETE FROM users WHERE username='ben'");
    }
}

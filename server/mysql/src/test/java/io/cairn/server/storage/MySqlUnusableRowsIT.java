package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.config.CapacityScope;
import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.mysql.MySqlDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import io.cairn.server.storage.mysql.NacosGeneration;
import io.cairn.server.storage.namespace.JdbcCapacityStore;
import io.cairn.server.storage.server.ServerSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("mysql")
class MySqlUnusableRowsIT extends UnusableRowsContract {

    @RegisterExtension
    static final MySqlTestDatabase DATABASE = new MySqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    private static TestDatabase open(MySqlDatabase database) {
        return new TestDatabase(database::openWriter, database::openReader, database.dialect());
    }

    /** The tables of 2.2 are those of 2.4. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "V2_2")
    void everyRowWithoutAValueOfAnAdoptedDatabaseIsUsedOrLeftOut(NacosGeneration generation) throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlUnusableRowsIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            generation.createTables(schema);
            database.prepare();
            rowsWithoutValuesStopNoReader(open(database));
        }
    }

    /** Times that no calendar or no clock of the zone has, and numbers that no long or int holds. */
    @Test
    void timesAndNumbersBeyondWhatJavaHoldsStopNoReader() throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlUnusableRowsIT.class);
                MySqlDatabase database = new MySqlDatabase(new ServerSettings(
                        List.of(new ServerSettings.Source(
                                schema.url() + "?serverTimezone=Europe/Berlin", schema.user(), schema.password())),
                        ServerSettings.Pool.DEFAULT))) {
            // As Nacos makes them.
            schema.execute("CREATE TABLE config_info_gray (id bigint unsigned NOT NULL AUTO_INCREMENT,"
                    + " data_id varchar(255) NOT NULL, group_id varchar(128) NOT NULL, content longtext NOT NULL,"
                    + " md5 varchar(32), src_user text, src_ip varchar(100), gmt_create datetime(3) NOT NULL,"
                    + " gmt_modified datetime(3) NOT NULL, app_name varchar(128), tenant_id varchar(128) DEFAULT '',"
                    + " gray_name varchar(128) NOT NULL, gray_rule text NOT NULL,"
                    + " encrypted_data_key varchar(256) NOT NULL DEFAULT '', PRIMARY KEY (id),"
                    + " UNIQUE KEY uk (data_id, group_id, tenant_id, gray_name))");
            database.prepare();
            try (Connection connection = DriverManager.getConnection(
                            schema.url() + "?sessionVariables=sql_mode='ALLOW_INVALID_DATES'",
                            schema.user(),
                            schema.password());
                    Statement statement = connection.createStatement()) {
                int number = 0;
                for (String time : List.of(
                        "0000-00-00 00:00:00", "2024-03-31 02:30:00", "2023-00-10 01:01:01", "2023-02-31 01:00:00")) {
                    statement.execute(config("time-" + ++number, time, "NULL"));
                }
                statement.execute(config("negative", "2024-01-02 03:04:05", "-5"));
                statement.execute("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
                statement.execute(config("zero", "2024-01-02 03:04:05", "0"));
                statement.execute("INSERT INTO config_info_gray (id, data_id, group_id, gray_name, gray_rule, content,"
                        + " gmt_create, gmt_modified) VALUES (18446744073709551614, 'huge', 'DEFAULT_GROUP', 'beta',"
                        + " '{}', 'x', NOW(), NOW())");
                statement.execute("INSERT INTO his_config_info (nid, id, data_id, group_id, content, op_type) VALUES"
                        + " (1, 18446744073709551614, 'huge', 'DEFAULT_GROUP', 'x', 'U'),"
                        + " (9223372036854775808, 1, 'huge', 'DEFAULT_GROUP', 'x', 'U')");
                statement.execute(
                        "INSERT INTO group_capacity (group_id, quota, max_size) VALUES ('G', 4294967295, 4294967295)");
                statement.execute("INSERT INTO tenant_capacity (tenant_id, quota) VALUES ('n', 4294967295)");
                statement.execute("INSERT INTO users VALUES ('anna', 'x', 1)");
            }

            stopNoReader(
                    open(database),
                    Set.of("time-1", "time-2", "time-3", "time-4", "negative", "zero"),
                    Set.of(),
                    // The publishes of the test get the numbers after the one that no long holds.
                    Map.of("config_info_gray", 1L, "his_config_info", 3L));

            try (TestStore store = TestStore.start(open(database))) {
                for (String name : List.of("time-1", "time-2", "time-3", "zero")) {
                    store.publish(name, "again");
                    assertThat(store.content(name)).isEqualTo("again");
                }
                assertThat(store.column("SELECT COUNT(*) FROM config_info WHERE content = 'again'"))
                        .containsExactly("4");
                JdbcCapacityStore capacities = new JdbcCapacityStore(store.writer, store.readers);
                assertThat(capacities.find(CapacityScope.ofGroup("G")))
                        .hasValueSatisfying(
                                capacity -> assertThat(capacity.quota()).isEqualTo(Integer.MAX_VALUE));
                assertThat(capacities.namespaceQuotas()).containsEntry("n", Integer.MAX_VALUE);
            }
        }
    }

    private static String config(String dataId, String time, String id) {
        return "INSERT INTO config_info (id, data_id, group_id, content, md5, gmt_create, gmt_modified) VALUES (" + id
                + ", '" + dataId + "', 'DEFAULT_GROUP', 'odd content', '" + SampleCommands.md5("odd content") + "', '"
                + time + "', '" + time + "')";
    }

    /** Nacos before 1.2 had no unique key for roles. */
    @Test
    void equalRolesAreOneInTheMirrorAndInABackup() throws Exception {
        try (TestSchema schema = TestSchema.create(MySqlUnusableRowsIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            schema.execute("CREATE TABLE roles (username varchar(50) NOT NULL, role varchar(50) NOT NULL)");
            database.prepare();
            schema.execute("INSERT INTO users VALUES ('anna', 'x', 1)");
            schema.execute("INSERT INTO roles VALUES ('anna', 'dev'), ('anna', 'dev'), ('anna', 'ops')");
            schema.execute(
                    "INSERT INTO config_info (data_id, group_id, content) VALUES ('a', 'DEFAULT_GROUP', 'odd content')");
            stopNoReader(open(database), Set.of("a"), Set.of(), Map.of());
        }
    }

    /** A text of spaces is equal to none for the database, and another namespace for Nacos. */
    @Test
    void aNamespaceOfSpacesIsNotTheDefaultOne() throws Exception {
        TestDatabase database = DATABASE.of(folder);
        try (TestStore store = TestStore.start(database)) {
            store.byHand("INSERT INTO users VALUES ('anna', 'x', 1)");
            store.byHand("INSERT INTO config_info (data_id, group_id, tenant_id, content) VALUES ('a', 'DEFAULT_GROUP',"
                    + " '', 'odd content'), ('spaces', 'DEFAULT_GROUP', ' ', 'odd content')");
        }
        stopNoReader(database, Set.of("a"), Set.of(), Map.of("config_info", 1L));
        try (TestStore store = TestStore.start(database)) {
            assertThat(store.view.entry(SampleCommands.key("spaces"))).isNull();
        }
    }
}

package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.DatabaseProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers that replicate each other, of which one accepts writes; an operator switches to the other one during
 * publishes.
 */
@Tag("full")
class SwitchOverIT {

    private static final String PLAIN = "plain";

    @TempDir
    static Path home;

    private static DatabaseProcess first;
    private static DatabaseProcess second;
    private static CairnServer server;

    @BeforeAll
    static void start() {
        TestSchema.assumeOwnProcess();
        first = replica(1);
        second = replica(2);
        copies(second, first);
        copies(first, second);
        execute(first, "create database " + MySqlServers.SCHEMA);
        readOnly(second, true);
        server = CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("spring.sql.init.platform", "mysql")
                .setting("db.num", "2")
                .setting("db.url.0", first.url(MySqlServers.SCHEMA))
                .setting("db.url.1", second.url(MySqlServers.SCHEMA))
                .setting("db.user", PLAIN)
                .setting("db.password", DatabaseProcess.PASSWORD)
                .setting("cairn.database.heartbeat", "200ms")
                .setting("cairn.database.compare-interval", "1s")
                .start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (first != null) {
            first.close();
        }
        if (second != null) {
            second.close();
        }
    }

    @Test
    void switchesToTheWritableDatabaseAndBackAgain() throws Exception {
        try (OutageLoad load = new OutageLoad(server.grpcPort(), "switched-")) {
            await().until(() -> load.acknowledgements() > 100);
            switchOver(load, first, second);
            switchOver(load, second, first);
            load.stopPublishing();

            assertThat(load.defects()).isEmpty();
            caughtUp(first, second);
            Map<String, String> stored = MySqlServers.stored(first, "switched-");
            assertThat(MySqlServers.stored(second, "switched-")).isEqualTo(stored);
            load.assertKept(stored);
            load.awaitSeen(stored, server.httpPort());
        }
        // The poller for external changes reads from the database that accepts writes now.
        byHand(
                first,
                "update config_info set content = 'other', md5 = '795f3202b17cb6bc3d4b771d8c6c9eaf'"
                        + " where data_id = 'switched-0'");
        await().until(() ->
                MySqlServers.content(server.httpPort(), "switched-0").equals("other"));
    }

    /** The operator's steps: stop the writes, wait until the other server has all data, allow writes there. */
    private static void switchOver(OutageLoad load, DatabaseProcess from, DatabaseProcess to) {
        readOnly(from, true);
        caughtUp(from, to);
        readOnly(to, false);
        int before = load.acknowledgements();
        await().until(() -> load.acknowledgements() > before + 100);
        await().untilAsserted(() -> assertThat(MySqlServers.get(server.httpPort(), "/actuator/health/writes")
                        .statusCode())
                .isEqualTo(200));
    }

    private static DatabaseProcess replica(int number) {
        DatabaseProcess database = DatabaseProcess.running(
                "--server-id=" + number,
                "--gtid-domain-id=1",
                "--log-bin=bin",
                "--log-slave-updates",
                "--sync-binlog=0");
        // An administrator may write in spite of read_only; the user of an application may not.
        execute(
                database,
                "set sql_log_bin=0",
                "create user '" + PLAIN + "'@'%' identified by '" + DatabaseProcess.PASSWORD + "'",
                "grant all on " + MySqlServers.SCHEMA + ".* to '" + PLAIN + "'@'%'");
        return database;
    }

    private static void copies(DatabaseProcess copy, DatabaseProcess of) {
        execute(
                copy,
                "change master to master_host='127.0.0.1', master_port=" + of.port() + ", master_user='"
                        + DatabaseProcess.USER + "', master_password='" + DatabaseProcess.PASSWORD
                        + "', master_use_gtid=slave_pos, master_connect_retry=1, master_ssl=0",
                "start slave");
    }

    private static void readOnly(DatabaseProcess database, boolean is) {
        execute(database, "set global read_only=" + (is ? 1 : 0));
    }

    private static void caughtUp(DatabaseProcess from, DatabaseProcess to) {
        await().untilAsserted(() -> assertThat(query(to, "select @@global.gtid_current_pos"))
                .as(() -> "of the copy, whose state is " + state(to))
                .isEqualTo(query(from, "select @@global.gtid_current_pos")));
    }

    private static String state(DatabaseProcess copy) {
        try (Connection connection = copy.connect("");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("show slave status")) {
            return rows.next() ? rows.getString("Last_IO_Error") + ' ' + rows.getString("Last_SQL_Error") : "none";
        } catch (SQLException e) {
            return e.toString();
        }
    }

    private static String query(DatabaseProcess database, String sql) throws SQLException {
        try (Connection connection = database.connect("");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    private static void byHand(DatabaseProcess database, String sql) {
        assertThat(MySqlServers.byHand(database, sql)).isEqualTo(1);
    }

    private static void execute(DatabaseProcess database, String... statements) {
        try (Connection connection = database.connect("");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}

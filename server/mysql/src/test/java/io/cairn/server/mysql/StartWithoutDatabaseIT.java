package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.server.support.ChildServer;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.support.WireClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server of its own JVM is started while the database is away, or while the settings are wrong. */
@Tag("full")
class StartWithoutDatabaseIT {

    /** A busy machine starts a server in many times what an idle one needs. */
    private static final Duration OF_A_START = PATIENCE.multipliedBy(3);

    @TempDir
    Path home;

    private static DatabaseProcess database;

    @BeforeAll
    static void start() {
        TestSchema.assumeOwnProcess();
        database = DatabaseProcess.running();
        database.createSchema(MySqlServers.SCHEMA);
    }

    @AfterAll
    static void stop() {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void withAMirrorItServesAtOnceAndWritesWhenTheDatabaseIsBack() throws Exception {
        try (ChildServer first = ChildServer.start(home, settings())) {
            for (String dataId : List.of("a", "gone")) {
                await().untilAsserted(() -> assertThat(MySqlServers.publish(first.httpPort(), dataId, "1")
                                .body())
                        .isEqualTo("true"));
            }
            try (WireClient wire =
                    WireClient.connect("127.0.0.1", first.grpcPort()).setUp()) {
                new ServiceClient(wire).registerPersistent("stored", "10.0.0.9", 90);
            }
            await().atMost(OF_A_START)
                    .until(() -> first.output().contains("The mirror holds all of the database")
                            && MySqlServers.get(first.httpPort(), "/actuator/metrics/cairn.mirror.behind")
                                    .body()
                                    .contains("\"value\":0"));
            first.stop();
        }
        database.kill();

        try (ChildServer second = ChildServer.start(home, settings())) {
            int port = second.httpPort();
            assertThat(MySqlServers.content(port, "a")).isEqualTo("1");
            assertThat(MySqlServers.publish(port, "a", "2").statusCode()).isEqualTo(503);
            assertThat(MySqlServers.get(port, "/nacos/v1/ns/instance/list?serviceName=stored")
                            .body())
                    .contains("10.0.0.9");
            assertThat(MySqlServers.get(port, "/actuator/health/readiness").body())
                    .contains("\"status\":\"UP\"")
                    .contains("\"degraded\":true");
            try (WireClient wire =
                    WireClient.connect("127.0.0.1", second.grpcPort()).setUp()) {
                wire.acknowledge(push -> true);
                assertThat(wire.query("a").path("content").asString()).isEqualTo("1");
                assertThat(wire.listen("a", wire.query("a").path("md5").asString())
                                .path("changedConfigs"))
                        .isEmpty();

                database.start();
                // Somebody else was faster.
                MySqlServers.byHand(
                        database,
                        "update config_info set content = ?, md5 = ? where data_id = 'a'",
                        "other",
                        "795f3202b17cb6bc3d4b771d8c6c9eaf");
                MySqlServers.byHand(database, "delete from config_info where data_id = 'gone'");
                await().atMost(OF_A_START).untilAsserted(() -> assertThat(
                                MySqlServers.publish(port, "b", "1").body())
                        .isEqualTo("true"));
                assertThat(wire.nextChange()).isEqualTo("a");
            }
            await().atMost(OF_A_START).untilAsserted(() -> {
                assertThat(MySqlServers.content(port, "a")).isEqualTo("other");
                assertThat(MySqlServers.content(port, "gone")).startsWith("status 404");
            });
            assertThat(MySqlServers.get(port, "/actuator/health/readiness").body())
                    .doesNotContain("degraded");
        }
    }

    @Test
    void withoutAMirrorItTriesAgainAndThenGivesUpWithOneLine() {
        database.kill();
        try (ChildServer server = ChildServer.launch(home, with("--cairn.database.start-timeout=6s"))) {
            assertThat(server.exit()).isNotZero();
            assertThat(server.errors().lines())
                    .singleElement()
                    .asString()
                    .contains("Cairn did not start: Database " + database.url(MySqlServers.SCHEMA) + " cannot be used");
            assertThat(server.output()).contains("trying again for 6 s");
        } finally {
            database.start();
        }
    }

    @Test
    void withoutAMirrorItStartsWhenTheDatabaseComesInTime() {
        database.kill();
        try (ChildServer server = ChildServer.launch(home, settings())) {
            try {
                await().atMost(OF_A_START).until(() -> server.output().contains("trying again for 60 s"));
            } finally {
                database.start(); // the next test needs it too
            }
            await().atMost(OF_A_START).until(() -> server.status().startsWith("ready"));
        }
    }

    @Test
    void aWrongPasswordAndAnUnknownSchemaEndTheStartAtOnce() {
        assertEndsAtOnce("correct db.user and db.password", "--db.password.0=wrong");
        assertEndsAtOnce("does not exist", "--db.url.0=" + database.url("nowhere"));
    }

    private void assertEndsAtOnce(String said, String setting) {
        try (ChildServer server = ChildServer.launch(home, with(setting))) {
            assertThat(server.exit()).isNotZero();
            assertThat(server.errors().lines()).singleElement().asString().contains(said);
            assertThat(server.output()).doesNotContain("trying again");
        }
    }

    private static String[] settings() {
        return with();
    }

    private static String[] with(String... more) {
        List<String> all = new ArrayList<>(MySqlServers.settings(database));
        all.add("--server.port=0");
        all.addAll(Arrays.asList(more));
        return all.toArray(String[]::new);
    }
}

package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.support.WireClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database goes and comes back while clients publish, read and listen. */
@Tag("full")
class DatabaseOutageIT {

    @TempDir
    static Path home;

    private static DatabaseProcess database;
    private static CairnServer server;

    @BeforeAll
    static void start() {
        TestSchema.assumeOwnProcess();
        database = DatabaseProcess.running();
        database.createSchema(MySqlServers.SCHEMA);
        server = MySqlServers.start(database, home);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (database != null) {
            database.close();
        }
    }

    @Test
    void aDatabaseThatIsStoppedAndStarted() throws Exception {
        goesAndComes("stopped-", DatabaseProcess::stop, DatabaseProcess::start);
    }

    @Test
    void aDatabaseThatIsKilledAndStarted() throws Exception {
        goesAndComes("killed-", DatabaseProcess::kill, DatabaseProcess::start);
    }

    @Test
    void survivesADatabaseThatHangsForAWhile() throws Exception {
        goesAndComes("hanging-", DatabaseProcess::pause, DatabaseProcess::resume);
    }

    private void goesAndComes(String prefix, Consumer<DatabaseProcess> away, Consumer<DatabaseProcess> back)
            throws Exception {
        try (OutageLoad load = new OutageLoad(server.grpcPort(), prefix)) {
            await().until(() -> load.acknowledgements() > 100);
            away.accept(database);
            try {
                await().until(() -> load.refusals() > 30);
                await().untilAsserted(() -> assertServesReadsAlone(prefix, load));
            } finally {
                back.accept(database);
            }
            int before = load.acknowledgements();
            await().until(() -> load.acknowledgements() > before + 100);
            load.stopPublishing();

            assertThat(load.defects()).isEmpty();
            Map<String, String> stored = MySqlServers.stored(database, prefix);
            load.assertKept(stored);
            load.awaitSeen(stored, server.httpPort());
            await().untilAsserted(() -> assertThat(MySqlServers.get(server.httpPort(), "/actuator/health/writes")
                            .statusCode())
                    .isEqualTo(200));
            assertThat(load.defects()).isEmpty();
        }
    }

    private static void assertServesReadsAlone(String prefix, OutageLoad load) {
        int port = server.httpPort();
        load.acknowledged().forEach((dataId, number) -> assertThat(Integer.parseInt(MySqlServers.content(port, dataId)))
                .isGreaterThanOrEqualTo(number));
        HttpResponse<String> refused = MySqlServers.publish(port, prefix + "x", "1");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("database");
        HttpResponse<String> ready = MySqlServers.get(port, "/actuator/health/readiness");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).contains("\"degraded\":true").contains("\"cause\":\"The database");
        assertThat(MySqlServers.get(port, "/nacos/v1/console/health/readiness").statusCode())
                .isEqualTo(200);
        assertThat(MySqlServers.get(port, "/actuator/health/writes").statusCode())
                .isEqualTo(503);
        assertThat(MySqlServers.get(port, "/nacos/v1/console/namespaces").statusCode())
                .isEqualTo(200);
        try (WireClient wire =
                WireClient.connect("127.0.0.1", server.grpcPort()).setUp()) {
            new ServiceClient(wire).register("shop", "10.0.0.1", 8080);
            assertThat(MySqlServers.get(port, "/nacos/v1/ns/instance/list?serviceName=shop")
                            .body())
                    .contains("10.0.0.1");
        }
    }
}

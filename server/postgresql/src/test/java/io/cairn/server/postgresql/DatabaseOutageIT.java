package io.cairn.server.postgresql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.PostgreSqlProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that goes away, comes back, and is a read-only standby for a while. */
@Tag("full")
class DatabaseOutageIT {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static final String DATABASE = "outage";

    @TempDir
    Path folder;

    private static HttpResponse<String> send(CairnServer server, String method, String path) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://" + server.address() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> publish(CairnServer server, String dataId, String content) throws Exception {
        return send(server, "POST", "/nacos/v1/cs/configs?group=g&dataId=" + dataId + "&content=" + content);
    }

    private static void assertRefusesWritesAndReads(CairnServer server, String cause) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            HttpResponse<String> refused = publish(server, "refused", "1");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(refused.body()).contains(cause);
        });
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(send(server, "GET", "/nacos/v1/cs/configs?group=g&dataId=a")
                                .body())
                        .isEqualTo("1"));
    }

    private static void assertStores(CairnServer server, String dataId) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(publish(server, dataId, "1").body()).isEqualTo("true"));
    }

    @Test
    void readsGoOnWhileTheDatabaseIsAwayOrReadOnlyAndWritesComeBack() throws Exception {
        TestSchema.assumeServer();
        PostgreSqlProcess database = PostgreSqlProcess.runningWith(DATABASE);
        try (CairnServer server = CairnServer.builder()
                .home(folder.resolve("home"))
                .setting("server.port", "0")
                .setting("spring.sql.init.platform", "postgresql")
                .setting("db.url.0", database.url(DATABASE) + "?connectTimeout=2")
                .setting("db.user.0", PostgreSqlProcess.USER)
                .setting("db.password.0", PostgreSqlProcess.PASSWORD)
                .setting("cairn.store.answer-within", "3s")
                .start()) {
            assertStores(server, "a");

            database.execute("ALTER SYSTEM SET default_transaction_read_only = on");
            database.execute("SELECT pg_reload_conf()");
            database.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'cairn%'");
            assertRefusesWritesAndReads(server, "read-only");
            database.execute("ALTER SYSTEM RESET default_transaction_read_only");
            database.execute("SELECT pg_reload_conf()");
            assertStores(server, "after-standby");

            database.stop();
            assertRefusesWritesAndReads(server, "no connection to the database");
            database.start();
            assertStores(server, "after-outage");
            try (Connection connection = database.connect(DATABASE);
                    Statement statement = connection.createStatement();
                    java.sql.ResultSet rows =
                            statement.executeQuery("SELECT string_agg(data_id, ' ' ORDER BY id) FROM config_info")) {
                rows.next();
                assertThat(rows.getString(1)).isEqualTo("a after-standby after-outage");
            }
        } finally {
            database.close();
        }
    }
}

package io.cairn.server.postgresql;

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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A URL with the primary and its streaming standby, which is promoted when the primary is killed. */
@Tag("full")
class FailoverIT {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String DATABASE = "nacos";

    @TempDir
    Path home;

    private static HttpResponse<String> send(CairnServer server, String method, String query) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(
                                URI.create("http://" + server.address() + "/nacos/v1/cs/configs?group=g&" + query))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String contents(PostgreSqlProcess database) throws SQLException {
        try (Connection connection = database.connect(DATABASE);
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT string_agg(content, ' ' ORDER BY id) FROM config_info")) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Test
    void writesToThePrimaryAndGoesOnWithThePromotedStandby() throws Exception {
        TestSchema.assumeServer();
        try (PostgreSqlProcess primary = PostgreSqlProcess.runningWith(DATABASE);
                PostgreSqlProcess standby = primary.standby();
                CairnServer server = CairnServer.builder()
                        .home(home)
                        .setting("server.port", "0")
                        .setting("spring.sql.init.platform", "postgresql")
                        .setting(
                                "db.url.0",
                                "jdbc:postgresql://127.0.0.1:" + standby.port() + ",127.0.0.1:" + primary.port() + '/'
                                        + DATABASE + "?connectTimeout=2&socketTimeout=3")
                        .setting("db.user.0", PostgreSqlProcess.USER)
                        .setting("db.password.0", PostgreSqlProcess.PASSWORD)
                        .setting("cairn.store.answer-within", "3s")
                        .start()) {
            await().untilAsserted(() -> assertThat(
                            send(server, "POST", "dataId=a&content=before").body())
                    .isEqualTo("true"));
            assertThat(contents(primary)).isEqualTo("before");
            await().untilAsserted(() -> assertThat(contents(standby)).isEqualTo("before"));

            primary.kill();
            await().untilAsserted(() -> assertThat(
                            send(server, "POST", "dataId=b&content=refused").statusCode())
                    .isEqualTo(503));
            assertThat(send(server, "GET", "dataId=a").body()).isEqualTo("before");
            standby.execute("SELECT pg_promote()");
            Instant promoted = Instant.now();

            await().untilAsserted(() -> assertThat(
                            send(server, "POST", "dataId=c&content=after").body())
                    .isEqualTo("true"));
            System.out.println(
                    "stored " + Duration.between(promoted, Instant.now()).toMillis() + " ms after the promotion");
            assertThat(contents(standby)).isEqualTo("before after");
            assertThat(send(server, "GET", "dataId=c").body()).isEqualTo("after");
        }
    }
}

package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.CairnServer;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole server whose settings name MySQL. */
@Tag("mysql")
class ServerOnMySqlIT {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static TestSchema schema;

    @TempDir
    Path home;

    @BeforeAll
    static void createSchema() {
        schema = TestSchema.create(ServerOnMySqlIT.class);
    }

    @AfterAll
    static void dropSchema() {
        schema.close();
    }

    @Test
    void keepsAPublishWithAnEmojiAcrossARestart() throws Exception {
        try (CairnServer server = start(schema.url(), schema.password())) {
            assertThat(publish(server, "a.yaml", "größe: 1 🚀")).isEqualTo("true");
            assertThat(get(server, "a.yaml")).isEqualTo("größe: 1 🚀");
        }
        assertThat(home.resolve("data").resolve("cairn.db")).doesNotExist();

        try (CairnServer server = start(schema.url(), schema.password())) {
            assertThat(get(server, "a.yaml")).isEqualTo("größe: 1 🚀");
            assertThat(get(server, "A.yaml")).contains("config data not exist");
        }
    }

    @Test
    void reportsAWrongPasswordAndAnUnknownSchemaInOneLine() {
        assertThatThrownBy(() -> start(schema.url(), "wrong"))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("Database " + schema.url() + " cannot be used")
                .hasMessageContaining("correct db.user and db.password")
                .hasMessageNotContaining("wrong\n");
        assertThatThrownBy(() -> start(schema.server() + "/cairn_test_nowhere", schema.password()))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("the database does not exist");
    }

    private CairnServer start(String url, String password) {
        return CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("spring.sql.init.platform", "mysql")
                .setting("db.num", "1")
                .setting("db.url.0", url)
                .setting("db.user.0", schema.user())
                .setting("db.password.0", password)
                .start();
    }

    private static String publish(CairnServer server, String dataId, String content) throws Exception {
        return HTTP.send(
                        HttpRequest.newBuilder(configs(server))
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .POST(HttpRequest.BodyPublishers.ofString("dataId=" + dataId + "&group=g&content="
                                        + URLEncoder.encode(content, StandardCharsets.UTF_8)))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static String get(CairnServer server, String dataId) throws Exception {
        return HTTP.send(
                        HttpRequest.newBuilder(URI.create(configs(server) + "?dataId=" + dataId + "&group=g"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
                .body();
    }

    private static URI configs(CairnServer server) {
        return URI.create("http://" + server.address() + "/nacos/v1/cs/configs");
    }
}

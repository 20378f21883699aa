package io.cairn.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.DatabaseAccess;
import io.cairn.server.nodes.DatabaseProcess;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A backup of a server with MariaDB is restored into one with PostgreSQL: the guide's way from MySQL to PostgreSQL. */
@Tag("full")
class MoveFromMySqlIT {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SCHEMA = "nacos";
    private static final String PASSWORD = "moved-with-the-backup-1";

    @TempDir
    Path folder;

    private CairnServer start(String name, DatabaseAccess database) {
        CairnServer.Builder builder = CairnServer.builder()
                .home(folder.resolve(name))
                .setting("server.port", "0")
                .setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.enabled", "true");
        for (String argument : database.arguments()) {
            String[] setting = argument.substring(2).split("=", 2);
            builder.setting(setting[0], setting[1]);
        }
        return builder.start();
    }

    private String firstPassword(String name) throws Exception {
        return Files.readString(folder.resolve(name).resolve("data/auth/initial-admin-password"))
                .strip();
    }

    private static String login(CairnServer server, String user, String password) throws Exception {
        HttpResponse<String> answer = send(
                server, "", "POST", "/v1/auth/users/login?username=" + user + "&password=" + encoded(password), "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("accessToken").asString();
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static HttpRequest.Builder request(CairnServer server, String token, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + server.address() + "/nacos" + path))
                .header("accessToken", token);
    }

    private static HttpResponse<String> send(
            CairnServer server, String token, String method, String path, String betaAddresses) throws Exception {
        HttpRequest.Builder request = request(server, token, path).method(method, BodyPublishers.noBody());
        if (!betaAddresses.isEmpty()) {
            request.header("betaIps", betaAddresses);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String ok(CairnServer server, String token, String method, String path) throws Exception {
        HttpResponse<String> answer = send(server, token, method, path, "");
        assertThat(answer.statusCode())
                .as("%s %s: %s", method, path, answer.body())
                .isEqualTo(200);
        return answer.body();
    }

    private static void fill(CairnServer server, String token) throws Exception {
        ok(server, token, "POST", "/v3/admin/core/namespace?namespaceId=dev&namespaceName=" + encoded("Größe 🚀"));
        for (String dataId : List.of("application.yaml", "Application.yaml", "removed", "zz", "a-b", "a_b")) {
            ok(
                    server,
                    token,
                    "POST",
                    "/v1/cs/configs?tenant=dev&group=g&dataId=" + dataId + "&config_tags=b,a&desc=d&type=yaml&content="
                            + encoded("größe: 🚀\n" + dataId));
        }
        ok(server, token, "POST", "/v1/cs/configs?tenant=dev&group=g&dataId=zz&content=second");
        ok(server, token, "DELETE", "/v1/cs/configs?tenant=dev&group=g&dataId=removed");
        assertThat(send(server, token, "POST", "/v1/cs/configs?group=g&dataId=beta&content=1", "")
                        .body())
                .isEqualTo("true");
        assertThat(send(server, token, "POST", "/v1/cs/configs?group=g&dataId=beta&content=2", "10.0.0.9")
                        .body())
                .isEqualTo("true");
        ok(server, token, "POST", "/v1/ns/instance?serviceName=stored&ip=10.0.0.1&port=80&ephemeral=false");
        ok(server, token, "POST", "/v1/auth/users?username=reader&password=" + PASSWORD);
        ok(server, token, "POST", "/v1/auth/roles?role=readers&username=reader");
        ok(server, token, "POST", "/v1/auth/permissions?role=readers&resource=" + encoded("dev:*:*") + "&action=r");
    }

    private Path backup(CairnServer server, String token, String name) throws Exception {
        HttpResponse<Path> answer = HTTP.send(
                request(server, token, "/v3/admin/core/backup?history=true").build(),
                HttpResponse.BodyHandlers.ofFile(folder.resolve(name)));
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    /** Number of rows and digest of each section. */
    private static JsonNode sections(Path archive) throws Exception {
        try (ZipFile zip = new ZipFile(archive.toFile());
                InputStream in = zip.getInputStream(zip.getEntry("manifest.json"))) {
            return JSON.readTree(in.readAllBytes()).path("sections");
        }
    }

    @Test
    void aBackupOfMariaDbRestoredInPostgreSqlHasTheSameSections() throws Exception {
        Assumptions.assumeTrue(DatabaseProcess.obstacle() == null, DatabaseProcess::obstacle);
        try (DatabaseProcess mariaDb = DatabaseProcess.runningWith(SCHEMA);
                TestSchema postgreSql = TestSchema.create(MoveFromMySqlIT.class);
                CairnServer source = start("source", mariaDb.access(SCHEMA));
                CairnServer target = start("target", postgreSql.access())) {
            String token = login(source, "nacos", firstPassword("source"));
            fill(source, token);
            Path archive = backup(source, token, "source.zip");
            assertThat(sections(archive)).hasSizeGreaterThan(5);

            HttpResponse<String> restored = HTTP.send(
                    request(target, login(target, "nacos", firstPassword("target")), "/v3/admin/core/restore")
                            .POST(BodyPublishers.ofFile(archive))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(restored.statusCode()).as(restored.body()).isEqualTo(200);
            String moved = login(target, "nacos", firstPassword("source"));
            assertThat(sections(backup(target, moved, "target.zip"))).isEqualTo(sections(archive));
            String reader = login(target, "reader", PASSWORD);
            for (String path : List.of(
                    "/v1/cs/configs?tenant=dev&group=g&dataId=Application.yaml",
                    "/v1/cs/configs?tenant=dev&group=g&dataId=zz",
                    "/v1/cs/history?search=accurate&tenant=dev&group=g&dataId=zz&pageNo=1&pageSize=10")) {
                assertThat(ok(target, reader, "GET", path))
                        .isNotEmpty()
                        .isEqualTo(ok(source, login(source, "reader", PASSWORD), "GET", path));
            }
            assertThat(ok(target, moved, "GET", "/v1/ns/instance/list?serviceName=stored"))
                    .contains("10.0.0.1");
            ok(target, moved, "POST", "/v1/cs/configs?tenant=dev&group=g&dataId=zz&content=third");
            assertThat(postgreSql.query("SELECT content FROM config_info WHERE data_id = 'zz'"))
                    .containsExactly(List.of("third"));
        }
    }
}

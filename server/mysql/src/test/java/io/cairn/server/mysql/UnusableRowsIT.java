package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.DatabaseProcess;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one database with a row for each column of Nacos's tables that may hold NULL, where it holds NULL. */
@Tag("full")
class UnusableRowsIT {

    private static final Pattern TOKEN = Pattern.compile("\"accessToken\":\"([^\"]+)\"");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    @Test
    void aPublishIsShownElsewhereAndAStartWithoutTheDatabaseHasUsersAndNamespaces() throws Exception {
        TestSchema.assumeOwnProcess();
        try (DatabaseProcess database = DatabaseProcess.running()) {
            database.createSchema(MySqlServers.SCHEMA);
            try (CairnServer a = server(database, "a");
                    CairnServer b = server(database, "b")) {
                String password = Files.readString(folder.resolve("a/data/auth/initial-admin-password"))
                        .strip();
                String token = token(a, password);
                ok(call(a, "POST", "/v1/cs/configs?group=g&dataId=first&content=1", token));
                isShown(b, "1", token);

                List<String> inserted = insertRowsWithoutValues(database);

                assertThat(inserted).contains("config_info.group_id", "config_info.tenant_id", "tenant_info.tenant_id");
                ok(call(
                        a,
                        "POST",
                        "/v1/console/namespaces?customNamespaceId=later&namespaceName=later&namespaceDesc=",
                        token));
                MySqlServers.byHand(
                        database,
                        "UPDATE config_info SET content = 'byHand', md5 = MD5('byHand') WHERE data_id = 'first'");
                isShown(b, "byHand", token);
                ok(call(a, "POST", "/v1/cs/configs?group=g&dataId=first&content=2", token));
                isShown(b, "2", token);
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(call(b, "GET", "/v3/admin/core/attention", token)
                                        .body())
                                .contains("\"ROWS_LEFT_OUT\"")
                                .contains("\"subject\":\"config_info\"", "group_id: NULL (expected: not blank)")
                                .contains("\"subject\":\"tenant_info\"", "tenant_id: NULL (expected: a namespace")
                                .doesNotContain("FOLLOWING_FAILS"));
                assertThat(call(b, "GET", "/v1/cs/configs?search=accurate&dataId=&group=&pageNo=1&pageSize=10", token)
                                .statusCode())
                        .isEqualTo(200);
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(mirroredUsersAndNamespaces("b"))
                        .contains("nacos", "later"));
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(call(b, "GET", "/actuator/metrics/cairn.mirror.behind", token)
                                        .body())
                                .contains("\"value\":0"));
            }
            database.kill();

            try (CairnServer b = server(database, "b")) {
                String token = token(
                        b,
                        Files.readString(folder.resolve("a/data/auth/initial-admin-password"))
                                .strip());
                assertThat(call(b, "GET", "/v1/cs/configs?group=g&dataId=first", token)
                                .body())
                        .isEqualTo("2");
                assertThat(call(b, "GET", "/v1/console/namespaces", token).body())
                        .contains("later");
            }
        }
    }

    private static void isShown(CairnServer server, String content, String token) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(call(server, "GET", "/v1/cs/configs?group=g&dataId=first", token)
                                .body())
                        .isEqualTo(content));
    }

    private CairnServer server(DatabaseProcess database, String name) {
        CairnServer.Builder builder =
                CairnServer.builder().home(folder.resolve(name)).setting("server.port", "0");
        for (String setting : MySqlServers.settings(database)) {
            String[] parts = setting.substring(2).split("=", 2);
            builder.setting(parts[0], parts[1]);
        }
        return builder.setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.enabled", "true")
                .setting("cairn.store.answer-within", PATIENCE.toSeconds() + "s")
                .setting(
                        "nacos.core.auth.plugin.nacos.token.secret.key",
                        "dGhlIHNhbWUga2V5IG9uIGJvdGggc2VydmVycyBvZiB0aGlzIHRlc3Q=")
                .start();
    }

    /** As the database describes its tables, so that a later column is covered. Returns the columns. */
    private static List<String> insertRowsWithoutValues(DatabaseProcess database) throws SQLException {
        List<String> inserted = new ArrayList<>();
        try (Connection connection = database.connect(MySqlServers.SCHEMA);
                Statement columns = connection.createStatement();
                Statement insert = connection.createStatement();
                ResultSet nullable = columns.executeQuery(
                        "SELECT table_name, column_name FROM information_schema.columns"
                                + " WHERE table_schema = DATABASE() AND is_nullable = 'YES' AND table_name NOT LIKE 'cairn%'")) {
            while (nullable.next()) {
                String table = nullable.getString(1);
                String column = nullable.getString(2);
                List<String> names = new ArrayList<>();
                List<String> values = new ArrayList<>();
                try (Statement needed = connection.createStatement();
                        ResultSet others = needed.executeQuery(
                                "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = DATABASE()"
                                        + " AND table_name = '" + table + "' AND extra NOT LIKE '%auto_increment%'"
                                        + " AND column_default IS NULL AND is_nullable = 'NO'")) {
                    while (others.next()) {
                        names.add(others.getString(1));
                        values.add(
                                others.getString(2).endsWith("int")
                                        ? "1"
                                        : others.getString(1).equals("kp") ? "'1'" : "'odd-" + inserted.size() + "'");
                    }
                }
                if (table.equals("config_info") && !column.equals("group_id")) {
                    names.add("group_id");
                    values.add("'g'");
                }
                if (table.equals("tenant_info") && !column.equals("tenant_id")) {
                    names.add("tenant_id");
                    values.add("'ns-" + inserted.size() + "'");
                }
                names.add(column);
                values.add("NULL");
                insert.execute("INSERT INTO " + table + " (" + String.join(", ", names) + ") VALUES ("
                        + String.join(", ", values) + ")");
                inserted.add(table + '.' + column);
            }
        }
        return inserted;
    }

    private List<String> mirroredUsersAndNamespaces(String server) throws SQLException {
        String file = folder.resolve(server).resolve("data/mirror/cairn.db").toString();
        try (Connection mirror = java.sql.DriverManager.getConnection("jdbc:sqlite:file:" + file + "?mode=ro");
                Statement statement = mirror.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT username FROM users UNION ALL SELECT tenant_id FROM tenant_info")) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        }
    }

    private static void ok(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static HttpResponse<String> call(CairnServer server, String method, String path, String token)
            throws Exception {
        String context = path.startsWith("/actuator") ? "" : "/nacos";
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + context + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .header("accessToken", token)
                        .build(),
                HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    private static String token(CairnServer server, String password) throws Exception {
        HttpResponse<String> answer = call(
                server,
                "POST",
                "/v1/auth/users/login?username=nacos&password=" + URLEncoder.encode(password, StandardCharsets.UTF_8),
                "");
        Matcher token = TOKEN.matcher(answer.body());
        assertThat(token.find()).as(answer.body()).isTrue();
        return token.group(1);
    }
}

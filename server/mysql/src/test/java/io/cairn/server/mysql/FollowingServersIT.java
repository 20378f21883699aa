package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.TimedServer;
import io.cairn.server.wiring.settings.InternalTimings;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one database: what is changed through one is shown by the other, long before rows or accounts are compared. */
@Tag("full")
@Tag("mysql")
class FollowingServersIT {

    private static final Pattern TOKEN = Pattern.compile("\"accessToken\":\"([^\"]+)\"");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    static Path home;

    private static TestSchema schema;
    private static CairnServer one;
    private static CairnServer two;
    private static String admin;

    @BeforeAll
    static void start() throws Exception {
        schema = TestSchema.create(FollowingServersIT.class);
        one = server("one");
        two = server("two");
        String password = Files.readString(home.resolve("one/data/auth/initial-admin-password"))
                .trim();
        admin = token(one, "nacos", password);
    }

    @AfterAll
    static void stop() {
        if (two != null) {
            two.close();
        }
        if (one != null) {
            one.close();
        }
        schema.close();
    }

    private static CairnServer server(String name) {
        // Neither the accounts nor the rows are read again while this test runs.
        return TimedServer.builder(InternalTimings.PRODUCTION.withAccountRefresh(Duration.ofHours(1)))
                .home(home.resolve(name))
                .setting("server.port", "0")
                .setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.enabled", "true")
                .setting(
                        "nacos.core.auth.plugin.nacos.token.secret.key",
                        "dGhlIHNhbWUga2V5IG9uIGJvdGggc2VydmVycyBvZiB0aGlzIHRlc3Q=")
                .setting("spring.sql.init.platform", "mysql")
                .setting("db.num", "1")
                .setting("db.url.0", schema.url())
                .setting("db.user.0", schema.user())
                .setting("db.password.0", schema.password())
                .setting("cairn.database.heartbeat", "100ms")
                .setting("cairn.database.compare-interval", "1h")
                .start();
    }

    @Test
    void aUserAndTheEndOfItsRightsAreFollowed() throws Exception {
        ok(one, "POST", "/v1/auth/users?username=ben&password=pw-of-ben-1");
        soon(() -> loginStatus(two, "ben", "pw-of-ben-1") == 200);

        ok(one, "DELETE", "/v1/auth/users?username=ben");
        soon(() -> loginStatus(two, "ben", "pw-of-ben-1") == 403);
    }

    @Test
    void persistentInstancesOverridesAndSwitchesAreFollowed() throws Exception {
        String instance = "serviceName=orders&ip=10.0.0.1&port=80&ephemeral=false";
        ok(one, "POST", "/v1/ns/instance?" + instance);
        soon(() -> get(two, "/v1/ns/instance/list?serviceName=orders").contains("10.0.0.1"));

        ok(one, "PUT", "/v1/ns/instance?" + instance + "&weight=7");
        soon(() -> get(two, "/v1/ns/instance/list?serviceName=orders").contains("\"weight\":7.0"));

        ok(one, "DELETE", "/v1/ns/instance?" + instance);
        soon(() -> !get(two, "/v1/ns/instance/list?serviceName=orders").contains("10.0.0.1"));

        ok(one, "PUT", "/v1/ns/operator/switches?entry=healthCheckTimes&value=5");
        soon(() -> get(two, "/v1/ns/operator/switches").contains("\"checkTimes\":5"));
    }

    @Test
    void namespacesAndConfigurationsAreFollowed() throws Exception {
        ok(one, "POST", "/v1/console/namespaces?customNamespaceId=dev&namespaceName=dev&namespaceDesc=");
        soon(() -> get(two, "/v1/console/namespaces").contains("\"dev\""));

        ok(one, "POST", "/v1/cs/configs?dataId=a&group=g&content=first");
        soon(() -> get(two, "/v1/cs/configs?dataId=a&group=g").equals("first"));
        ok(two, "POST", "/v1/cs/configs?dataId=a&group=g&content=second");
        soon(() -> get(one, "/v1/cs/configs?dataId=a&group=g").equals("second"));
    }

    private static void soon(Callable<Boolean> condition) {
        await().until(condition);
    }

    private static void ok(CairnServer server, String method, String path) throws Exception {
        HttpResponse<String> answer = call(server, method, path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static String get(CairnServer server, String path) throws Exception {
        return call(server, "GET", path).body();
    }

    private static HttpResponse<String> call(CairnServer server, String method, String path) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos" + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (admin != null) {
            request.header("accessToken", admin);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    private static int loginStatus(CairnServer server, String user, String password) throws Exception {
        return login(server, user, password).statusCode();
    }

    private static String token(CairnServer server, String user, String password) throws Exception {
        HttpResponse<String> answer = login(server, user, password);
        Matcher token = TOKEN.matcher(answer.body());
        assertThat(token.find()).as(answer.body()).isTrue();
        return token.group(1);
    }

    private static HttpResponse<String> login(CairnServer server, String user, String password) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort()
                                + "/nacos/v1/auth/users/login?username=" + user + "&password="
                                + URLEncoder.encode(password, StandardCharsets.UTF_8)))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }
}

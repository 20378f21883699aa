package io.cairn.server.support;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.testing.ReservedPorts;
import io.cairn.testing.TestIssuer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Two servers that start at once on one empty database agree on all secrets. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class TwoServersContract {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    static Path folder;

    private static final TestIssuer ISSUER = TestIssuer.start();
    /** Nothing listens there: the test sends each request to the server of its choice. */
    private static final String PUBLIC = "http://127.0.0.1:" + ReservedPorts.one() + "/nacos";

    private SharedDatabase database;
    private CairnServer a;
    private CairnServer b;

    /** A database that several servers use. */
    public interface SharedDatabase extends AutoCloseable {

        /** A server on a free port of this machine that uses the database. */
        CairnServer.Builder serverAt(Path home);

        /** All columns of all rows, as text. */
        List<List<String>> query(String sql);

        @Override
        void close();
    }

    protected abstract SharedDatabase empty();

    @BeforeAll
    void startBothAtOnce() throws Exception {
        database = empty();
        CompletableFuture<CairnServer> other = CompletableFuture.supplyAsync(() -> start("b"));
        try {
            a = start("a");
        } finally {
            b = other.get(PATIENCE.multipliedBy(3).toSeconds(), TimeUnit.SECONDS);
        }
    }

    @AfterAll
    void stop() {
        for (CairnServer server : new CairnServer[] {a, b}) {
            if (server != null) {
                server.close();
            }
        }
        if (database != null) {
            database.close();
        }
        ISSUER.close();
    }

    private CairnServer start(String name) {
        return database.serverAt(folder.resolve(name))
                .setting("nacos.core.auth.enabled", "true")
                .setting("cairn.auth.oidc.issuer", ISSUER.url())
                .setting("cairn.auth.oidc.client-id", "console")
                .setting("cairn.auth.oidc.public-url", PUBLIC)
                .start();
    }

    private Path secret(String server, String name) {
        return folder.resolve(server).resolve("data/auth").resolve(name);
    }

    private static HttpResponse<String> call(CairnServer server, String token, String method, String path)
            throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://" + server.address() + "/nacos" + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .header("accessToken", token)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private String token(CairnServer server) throws Exception {
        String password = Files.readString(Stream.of("a", "b")
                        .map(name -> secret(name, "initial-admin-password"))
                        .filter(Files::exists)
                        .findFirst()
                        .orElseThrow())
                .strip();
        HttpResponse<String> answer = call(
                server,
                "",
                "POST",
                "/v1/auth/users/login?username=nacos&password=" + URLEncoder.encode(password, StandardCharsets.UTF_8));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("accessToken").asString();
    }

    @Test
    void oneOfThemMakesTheFirstUserAndHasItsPassword() throws Exception {
        assertThat(database.query("SELECT username FROM users")).containsExactly(List.of("nacos"));
        assertThat(database.query("SELECT role, username FROM roles")).containsExactly(List.of("ROLE_ADMIN", "nacos"));
        assertThat(Stream.of("a", "b").filter(name -> Files.exists(secret(name, "initial-admin-password"))))
                .hasSize(1);
        for (String name : List.of("a", "b")) {
            assertThat(secret(name, "initial-admin-password.pending")).doesNotExist();
        }
        assertThat(token(a)).isNotEmpty();
        assertThat(token(b)).isNotEmpty();
    }

    @Test
    void aTokenOfOneIsGoodOnTheOther() throws Exception {
        assertThat(call(b, token(a), "GET", "/v3/auth/access").statusCode()).isEqualTo(200);
        assertThat(call(a, token(b), "GET", "/v3/auth/access").statusCode()).isEqualTo(200);
        assertThat(database.query("SELECT name FROM cairn_secret WHERE name = 'signing-keys'"))
                .hasSize(1);
    }

    private static HttpResponse<String> browse(String url, String cookies) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
            return HTTP.send(
                    (cookies.isEmpty() ? request : request.header("Cookie", cookies)).build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String location(HttpResponse<String> answer) {
        return answer.headers().firstValue("Location").orElse("");
    }

    private static String cookies(HttpResponse<String> answer) {
        return answer.headers().allValues("Set-Cookie").stream()
                .map(cookie -> cookie.substring(0, cookie.indexOf(';')))
                .collect(Collectors.joining("; "));
    }

    private static String at(CairnServer server, String path) {
        return "http://" + server.address() + "/nacos" + path;
    }

    @Test
    void aLoginAtAnIssuerBeginsAtOneAndEndsAtTheOther() throws Exception {
        await().atMost(PATIENCE)
                .until(() -> location(browse(at(a, "/v1/auth/oidc/login"), "")).startsWith(ISSUER.url())
                        && location(browse(at(b, "/v1/auth/oidc/login"), "")).startsWith(ISSUER.url()));
        // Another test changes the secret, which the other server follows a moment later.
        HttpResponse<String> ended = await().atMost(PATIENCE)
                .until(this::beginAtOneAndEndAtTheOther, answer -> location(answer)
                        .startsWith(PUBLIC + "/ui/#login="));

        HttpResponse<String> exchanged = browse(
                at(a, "/v1/auth/oidc/exchange?code=" + location(ended).replaceFirst(".*#login=", "")), cookies(ended));

        assertThat(exchanged.statusCode()).as(exchanged.body()).isEqualTo(200);
        String token = JSON.readTree(exchanged.body()).path("accessToken").asString();
        for (CairnServer server : List.of(a, b)) {
            assertThat(call(server, token, "GET", "/v3/auth/access").body()).contains("oidc:person");
        }
    }

    private HttpResponse<String> beginAtOneAndEndAtTheOther() throws Exception {
        HttpResponse<String> begun = browse(at(a, "/v1/auth/oidc/login"), "");
        String back = location(browse(location(begun), ""));
        return browse(at(b, back.substring(PUBLIC.length())), cookies(begun));
    }

    @Test
    void aNewSigningSecretIsAChangeThatOthersFollowAndEndsNoToken() throws Exception {
        String before = token(b);

        assertThat(call(a, token(a), "POST", "/v3/admin/auth/secret").statusCode())
                .isEqualTo(200);

        assertThat(database.query(
                        "SELECT data_id FROM cairn_change WHERE kind = 'secret' AND data_id = 'signing-keys'"))
                .isNotEmpty();
        assertThat(call(a, before, "GET", "/v3/auth/access").statusCode()).isEqualTo(200);
        assertThat(call(b, before, "GET", "/v3/auth/access").statusCode()).isEqualTo(200);
    }

    @Test
    void aNewKeyOfTheGroupIsStoredAndRecordedAndNeedsAnAdministrator() throws Exception {
        String administrator = token(a);
        assertThat(call(a, "", "POST", "/v3/admin/core/cluster/key").statusCode())
                .isEqualTo(403);

        HttpResponse<String> answer = call(a, administrator, "POST", "/v3/admin/core/cluster/key");

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("Stop all nodes, then start them again");
        String first = database.query("SELECT value FROM cairn_secret WHERE name = 'group-key'")
                .get(0)
                .get(0);
        assertThat(Files.readString(secret("a", "group-key")).strip()).isEqualTo(first);
        assertThat(answer.body()).doesNotContain(first);
        call(b, administrator, "POST", "/v3/admin/core/cluster/key");
        assertThat(database.query("SELECT value FROM cairn_secret WHERE name = 'group-key'")
                        .get(0)
                        .get(0))
                .isNotEqualTo(first);
        assertThat(database.query(
                        "SELECT who FROM cairn_audit WHERE action = 'secret.rotate' AND target = 'group-key'"))
                .contains(List.of("nacos"));
        assertThat(database.query("SELECT 1 FROM cairn_change WHERE kind = 'secret' AND data_id = 'group-key'"))
                .hasSize(2);
    }

    @Test
    void aPublishAtOneIsReadAtTheOther() throws Exception {
        String administrator = token(a);
        assertThat(call(a, administrator, "POST", "/v1/cs/configs?dataId=shared&group=g&content=1")
                        .body())
                .isEqualTo("true");

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(call(b, administrator, "GET", "/v1/cs/configs?dataId=shared&group=g")
                                .body())
                        .isEqualTo("1"));
    }
}

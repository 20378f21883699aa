package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.InspectableServer;
import io.cairn.testing.ReservedPorts;
import io.cairn.testing.TestIssuer;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** People log in at an issuer, on two servers that share the secret of tokens. */
class IssuerLoginIT {

    private static final TestIssuer issuer = TestIssuer.start();
    /** Nothing listens there: the test sends each request to the server of its choice. */
    private static final String PUBLIC = "http://127.0.0.1:" + ReservedPorts.one() + "/nacos";

    @RegisterExtension
    static final InspectableServer first = server();

    @RegisterExtension
    static final InspectableServer second = server().with("cairn.auth.oidc.user-info", "true");

    /** Its limits are used up by one test. */
    @RegisterExtension
    static final InspectableServer flooded = server();

    private static AuthenticatedServer one;
    private static AuthenticatedServer two;

    private final Map<String, String> cookies = new LinkedHashMap<>();

    private static InspectableServer server() {
        return AuthenticatedServer.open()
                .with(
                        "nacos.core.auth.plugin.nacos.token.secret.key",
                        "c2VjcmV0IG9mIHRoZSB0ZXN0IG9mIGxvZ2lucyBhdCBhbiBpc3N1ZXI=")
                .with("cairn.auth.oidc.issuer", issuer.url())
                .with("cairn.auth.oidc.audiences", "machines")
                .with("cairn.auth.oidc.client-id", "console")
                .with("cairn.auth.oidc.client-secret", "s3 cret&")
                .with("cairn.auth.oidc.public-url", PUBLIC + '/')
                .with("cairn.auth.oidc.login-label", "Sign in with the \"firm\"")
                .with("cairn.auth.oidc.rules[0]", "groups=platform -> ROLE_ADMIN")
                .with("cairn.auth.oidc.rules[1]", "groups=dev -> DEV");
    }

    @BeforeAll
    static void prepare() {
        one = new AuthenticatedServer(first);
        two = new AuthenticatedServer(second);
        issuer.secret("s3 cret&");
        for (InspectableServer server : List.of(first, second)) {
            await("the description of the issuer").until(() -> location(get(server, "/v1/auth/oidc/login", Map.of()))
                    .startsWith(issuer.url()));
        }
    }

    @BeforeEach
    void carolLogsIn() {
        issuer.logsIn("4711", token -> token.with("preferred_username", "carol").with("groups", List.of("platform")));
    }

    @AfterAll
    static void stop() {
        issuer.close();
    }

    private static HttpResponse<String> get(InspectableServer server, String path, Map<String, String> cookies) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos" + path));
        if (!cookies.isEmpty()) {
            request.header(
                    "Cookie",
                    cookies.entrySet().stream()
                            .map(each -> each.getKey() + '=' + each.getValue())
                            .collect(Collectors.joining("; ")));
        }
        return new AuthenticatedServer(server).send(request);
    }

    /** As the browser does, with its cookies. */
    private HttpResponse<String> browse(InspectableServer server, String path) {
        HttpResponse<String> answer = get(server, path, cookies);
        for (String header : answer.headers().allValues("Set-Cookie")) {
            HttpCookie cookie = HttpCookie.parse(header).get(0);
            if (cookie.getMaxAge() == 0) {
                cookies.remove(cookie.getName());
            } else {
                cookies.put(cookie.getName(), cookie.getValue());
            }
            assertThat(header).contains("HTTPOnly").contains("SameSite=").contains("Path=/nacos/v1/auth/oidc");
        }
        return answer;
    }

    private static String location(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(302);
        return answer.headers().firstValue("Location").orElseThrow();
    }

    /** The path of the answer of the issuer to the login that this server begins. */
    private String answerOfIssuer(InspectableServer server, String parameters) {
        String login = location(browse(server, "/v1/auth/oidc/login" + parameters));
        assertThat(login).startsWith(issuer.url() + "/authorize?").contains("code_challenge_method=S256");
        String back = location(one.send(HttpRequest.newBuilder(URI.create(login))));
        assertThat(back).startsWith(PUBLIC + "/v1/auth/oidc/callback?");
        return back.substring(PUBLIC.length());
    }

    private String code(String location) {
        assertThat(location).startsWith(PUBLIC + "/ui/").contains("#login=");
        return location.substring(location.indexOf("#login=") + 7);
    }

    private void assertRefused(HttpResponse<String> answer) {
        assertThat(location(answer)).isEqualTo(PUBLIC + "/ui/#login-refused");
        assertThat(cookies).doesNotContainKey("cairn-login-done");
    }

    /** Logs in with the first server, and takes its answer with the second. */
    private JsonNode login() {
        String code = code(location(browse(second, answerOfIssuer(first, ""))));
        HttpResponse<String> exchanged = browse(first, "/v1/auth/oidc/exchange?code=" + code);
        assertThat(exchanged.statusCode()).as(exchanged.body()).isEqualTo(200);
        return AuthenticatedServer.tree(exchanged);
    }

    @Test
    void groupsThatTheTokenLacksComeFromTheUserInfoWhereTheSettingsAskForIt() {
        issuer.logsIn("4711", token -> token.with("preferred_username", "carol"));
        issuer.userInfo(Map.of("sub", "4711", "groups", List.of("platform"), "preferred_username", "mallory"));

        int reads = issuer.userInfoReads();
        JsonNode login = AuthenticatedServer.tree(browse(
                first, "/v1/auth/oidc/exchange?code=" + code(location(browse(second, answerOfIssuer(first, ""))))));
        assertThat(login.path("globalAdmin").asBoolean()).isTrue();
        assertThat(login.path("username").asString())
                .as("a claim of the token counts before one of the user info")
                .isEqualTo("oidc:carol (4711)");
        assertThat(issuer.userInfoReads() - reads).isEqualTo(1);

        login = AuthenticatedServer.tree(browse(
                first, "/v1/auth/oidc/exchange?code=" + code(location(browse(first, answerOfIssuer(first, ""))))));
        assertThat(login.path("globalAdmin").asBoolean(true))
                .as("the first server does not ask")
                .isFalse();
        assertThat(issuer.userInfoReads() - reads).isEqualTo(1);
    }

    @Test
    void theUserInfoOfAnotherSubjectIsRefusedAndRecorded() {
        issuer.logsIn("4711", token -> token.with("preferred_username", "carol"));
        for (Map<String, Object> other : List.<Map<String, Object>>of(
                Map.of("sub", "4712", "groups", List.of("platform")), Map.of("groups", List.of("platform")))) {
            issuer.userInfo(other);

            assertRefused(browse(second, answerOfIssuer(first, "")));
        }

        assertThat(failedLogins(two))
                .contains(
                        "oidc:carol (4711) | " + issuer.url() + " | the user info is of the subject '4712'",
                        "oidc:carol (4711) | " + issuer.url() + " | the user info is of the subject 'null'");
    }

    @Test
    void failedLoginsAreRecordedWithReasonAndSource() {
        issuer.logsIn("4711", token -> token.with("preferred_username", "carol").ends(Duration.ofMinutes(-5)));
        assertRefused(browse(first, answerOfIssuer(first, "")));
        issuer.logsIn("4711", token -> token.with("nonce", "another"));
        assertRefused(browse(first, answerOfIssuer(first, "")));
        String state = answerOfIssuer(first, "").replaceFirst(".*state=", "");
        assertRefused(browse(first, "/v1/auth/oidc/callback?error=access_denied&state=" + state));

        assertThat(failedLogins(one))
                .contains(
                        "oidc:carol (4711) | " + issuer.url() + " | the id_token was refused: expired",
                        " | " + issuer.url() + " | the id_token was refused: nonce",
                        " | " + issuer.url() + " | the issuer answered 'access_denied'")
                .noneMatch(line -> line.contains("s3 cret"));
    }

    @Test
    void strangersCauseAFewRecordsOnly() {
        for (int i = 0; i < 200; i++) {
            get(flooded, "/v1/auth/oidc/callback?state=x", Map.of());
        }

        // At most 30 in a minute, also when a minute ends meanwhile.
        assertThat(failedLogins(new AuthenticatedServer(flooded))).hasSizeBetween(30, 120);
    }

    /** Caller, target and detail of the records. */
    private static List<String> failedLogins(AuthenticatedServer server) {
        String admin = server.token("nacos", server.adminPassword());
        List<String> found = new ArrayList<>();
        AuthenticatedServer.tree(server.call(
                        admin,
                        "GET",
                        "/v3/admin/auth/audit/list",
                        "action",
                        "login.failed",
                        "pageNo",
                        "1",
                        "pageSize",
                        "1000"))
                .path("data")
                .path("pageItems")
                .forEach(record -> found.add(record.path("who").asString("")
                        + " | " + record.path("target").asString("")
                        + " | " + record.path("detail").asString("")));
        return found;
    }

    @Test
    void theAnswerMayReachAnotherServerAndGivesATokenForBoth() {
        JsonNode login = login();
        String token = login.path("accessToken").asString();

        assertThat(login.path("username").asString()).isEqualTo("oidc:carol (4711)");
        assertThat(login.path("globalAdmin").asBoolean()).isTrue();
        assertThat(login.path("tokenTtl").asLong()).isBetween(3000L, 3600L);
        for (AuthenticatedServer server : List.of(one, two)) {
            JsonNode rights = AuthenticatedServer.tree(server.call(token, "GET", "/v3/auth/access"))
                    .path("data");
            assertThat(rights.path("kind").asString()).isEqualTo("oidc");
            assertThat(rights.path("globalAdmin").asBoolean()).isTrue();
        }
        assertThat(cookies).as("used up").doesNotContainKeys("cairn-login", "cairn-login-done");
        JsonNode record = AuthenticatedServer.tree(two.call(
                        token, "GET", "/v3/admin/auth/audit/list", "action", "login", "pageNo", "1", "pageSize", "10"))
                .path("data")
                .path("pageItems")
                .path(0);
        assertThat(record.path("who").asString()).isEqualTo("oidc:carol (4711)");
        assertThat(record.path("kind").asString()).isEqualTo("OIDC");
    }

    @Test
    void theTokenEndsWithThatOfTheIssuer() {
        issuer.logsIn("4711", token -> token.with("groups", List.of("platform")).ends(Duration.ofSeconds(15)));
        JsonNode login = login();

        assertThat(login.path("tokenTtl").asLong()).isBetween(1L, 15L);
        await().until(() -> one.call(login.path("accessToken").asString(), "GET", "/v3/auth/access")
                        .statusCode()
                == 403);
    }

    @Test
    void theNameOfALocalAdministratorGivesNoRight() {
        issuer.logsIn("nacos", token -> token.with("preferred_username", "nacos"));
        JsonNode login = login();
        String token = login.path("accessToken").asString();

        assertThat(login.path("username").asString()).isEqualTo("oidc:nacos");
        assertThat(login.path("globalAdmin").asBoolean(true)).isFalse();
        assertThat(one.call(token, "GET", "/v3/auth/user/list", "pageNo", "1", "pageSize", "9")
                        .statusCode())
                .isEqualTo(403);
        assertThat(one.call(token, "PUT", "/v3/auth/user", "username", "nacos", "newPassword", "taken-over")
                        .statusCode())
                .isEqualTo(403);
        assertThat(one.login("nacos", one.adminPassword()).statusCode())
                .as("local users remain")
                .isEqualTo(200);
    }

    @Test
    void aRoleByARuleHasThePermissionsOfTheRole() {
        String admin = one.token("nacos", one.adminPassword());
        assertThat(one.call(admin, "POST", "/v3/auth/permission", "role", "DEV", "resource", "dev:*:*", "action", "r")
                        .statusCode())
                .isEqualTo(200);
        issuer.logsIn("dan", token -> token.with("groups", List.of("dev")));
        String token = login().path("accessToken").asString();

        JsonNode rights = AuthenticatedServer.tree(one.call(token, "GET", "/v3/auth/access"))
                .path("data");
        assertThat(rights.path("permissions").path(0).path("resource").asString())
                .startsWith("dev:");
    }

    @Test
    void replayedAnswersAreRefused() {
        String answer = answerOfIssuer(first, "");
        Map<String, String> copied = Map.copyOf(cookies);
        location(browse(second, answer));

        assertThat(location(browse(second, answer))).as("of the same browser").endsWith("#login-refused");
        assertThat(location(get(second, answer, copied)))
                .as("with a copied cookie")
                .isEqualTo(PUBLIC + "/ui/#login-refused");
    }

    @Test
    void anAnswerToAnotherBrowserIsRefused() {
        String ofAttacker = answerOfIssuer(first, "");
        cookies.clear();
        assertRefused(browse(second, ofAttacker));

        String own = answerOfIssuer(first, "");
        assertRefused(browse(second, ofAttacker));
        code(location(browse(second, own)));
    }

    @Test
    void aCodeIsExchangedOnlyByTheBrowserOfTheLoginAndOnce() {
        String code = code(location(browse(second, answerOfIssuer(first, ""))));

        assertThat(get(first, "/v1/auth/oidc/exchange?code=" + code, Map.of()).statusCode())
                .isEqualTo(403);
        assertThat(browse(first, "/v1/auth/oidc/exchange?code=other").statusCode())
                .isEqualTo(403);
        assertThat(browse(first, "/v1/auth/oidc/exchange?code=" + code).statusCode())
                .isEqualTo(200);
        HttpResponse<String> again = browse(first, "/v1/auth/oidc/exchange?code=" + code);
        assertThat(again.statusCode()).isEqualTo(403);
        assertThat(again.body()).isEqualTo("not allowed");
    }

    static Stream<java.util.function.UnaryOperator<TestIssuer.Token>> unacceptable() {
        return Stream.of(
                token -> token.with("nonce", "another"),
                token -> token.without("nonce"),
                token -> token.with("aud", "machines"),
                token -> token.with("aud", List.of("console", "other")),
                token -> token.with("azp", "other"),
                token -> token.with("iss", "https://other.example"),
                token -> token.ends(Duration.ofMinutes(-5)),
                token -> token.without("sub"),
                token -> token.header("alg", "RS512"),
                token -> token.header("kid", "unknown"));
    }

    @Test
    void everyOtherTokenOfTheIssuerIsRefused() {
        unacceptable().forEach(change -> {
            issuer.logsIn("mallory", token -> change.apply(token.with("groups", List.of("platform"))));
            assertRefused(browse(second, answerOfIssuer(first, "")));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//evil.example",
                "https://evil.example/",
                "..//evil",
                "../../evil",
                "%2e%2e/evil",
                "\\evil.example",
                "a\r\nSet-Cookie: x=y",
                "x#login=stolen",
                "<b>"
            })
    void theConsoleAloneIsWhereALoginEnds(String view) {
        String end = location(
                browse(second, answerOfIssuer(first, "?view=" + URLEncoder.encode(view, StandardCharsets.UTF_8))));

        assertThat(end).startsWith(PUBLIC + "/ui/#login=");
    }

    @Test
    void aLoginEndsAtTheWantedView() {
        String view = "configs/one?ns=dev&group=G&dataId=a%2Fb.yaml";

        assertThat(location(browse(
                        second, answerOfIssuer(first, "?view=" + URLEncoder.encode(view, StandardCharsets.UTF_8)))))
                .startsWith(PUBLIC + "/ui/" + view + "#login=");
    }

    @Test
    void refusalsOfTheIssuerAndForgedCookiesEndAtTheLoginPage() {
        String state = answerOfIssuer(first, "").replaceFirst(".*state=", "");
        assertRefused(browse(second, "/v1/auth/oidc/callback?error=access_denied&state=" + state));

        state = answerOfIssuer(first, "").replaceFirst(".*state=", "");
        assertRefused(browse(second, "/v1/auth/oidc/callback?iss=https://other.example&code=x&state=" + state));

        String answer = answerOfIssuer(first, "");
        cookies.computeIfPresent("cairn-login", (name, value) -> value.substring(0, value.length() - 2) + "AA");
        assertRefused(browse(second, answer));
        assertRefused(browse(second, "/v1/auth/oidc/callback"));
    }

    @Test
    void aLogoutEndsTheSessionAtTheIssuer() {
        login();

        String end = location(browse(second, "/v1/auth/oidc/logout"));
        assertThat(end).startsWith(issuer.url() + "/end-session?");
        assertThat(location(one.send(HttpRequest.newBuilder(URI.create(end))))).isEqualTo(PUBLIC + "/ui/");
        Map<String, String> seen = issuer.logouts().get(issuer.logouts().size() - 1);
        assertThat(seen).containsEntry("client_id", "console").containsKey("id_token_hint");
        assertThat(cookies).isEmpty();
        assertThat(location(browse(second, "/v1/auth/oidc/logout"))).doesNotContain("id_token_hint");
    }

    @Test
    void theHeaderHostDecidesNothing() {
        HttpResponse<String> answer = get(first, "/v1/auth/oidc/login", Map.of());

        assertThat(location(answer)).contains("redirect_uri=" + URLEncoder.encode(PUBLIC, StandardCharsets.UTF_8));
    }

    @Test
    void consolesSeeHowPeopleLogIn() {
        JsonNode config = AuthenticatedServer.tree(get(first, "/v1/auth/oidc/config", Map.of()));

        assertThat(config.path("enabled").asBoolean()).isTrue();
        assertThat(config.path("authType").asString()).isEqualTo("oidc");
        assertThat(config.path("loginUrl").asString()).isEqualTo(PUBLIC + "/v1/auth/oidc/login");
        assertThat(AuthenticatedServer.tree(get(first, "/v3/console/server/state", Map.of()))
                        .path("auth_system_type")
                        .asString())
                .isEqualTo("oidc");
    }
}

package io.cairn.server.auth;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.testing.TestIssuer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** A server that identifies callers by the tokens of an issuer, beside its local users. */
class IssuerTokensIT {

    private static final TestIssuer issuer = TestIssuer.start();

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open()
            .timed(timings -> timings.withAccountRefresh(Duration.ofMillis(300)))
            .with("nacos.core.auth.system.type", "oidc")
            .with("cairn.auth.oidc.issuer", issuer.url())
            .with("nacos.core.auth.plugin.oidc.client-id", TestIssuer.AUDIENCE)
            .with("cairn.auth.oidc.clock-skew", "0s")
            .with("cairn.auth.oidc.rules[0]", "groups=platform -> ROLE_ADMIN")
            .with("cairn.auth.oidc.rules[1]", "groups=dev-* -> DEV")
            .with("cairn.auth.oidc.rules[2]", "groups=passing -> PASSING");

    private static final String[] CONFIG = {"dataId", "a", "group", "g", "tenant", "dev", "content", "x"};

    /** The life of a token whose end a test awaits; a busy machine needs seconds for what comes before. */
    private static final Duration SOON = Duration.ofSeconds(8);

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void prepare() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
        permit("POST", "DEV");
        permit("POST", "PASSING");
        await().untilAsserted(() ->
                assertThat(publish(member("first", "dev-a")).statusCode()).isEqualTo(200));
    }

    @AfterAll
    static void stop() {
        issuer.close();
    }

    private static void permit(String method, String role) {
        assertThat(server.call(
                                admin,
                                method,
                                "/v1/auth/permissions",
                                "role",
                                role,
                                "resource",
                                "dev:g:*/*",
                                "action",
                                "rw")
                        .statusCode())
                .isEqualTo(200);
    }

    private static String member(String subject, String... groups) {
        return issuer.token(subject).with("groups", List.of(groups)).text();
    }

    private static HttpResponse<String> publish(String token) {
        return server.call(token, "POST", "/v1/cs/configs", CONFIG);
    }

    @Test
    void aTokenMayDoWhatTheRulesForItsClaimsAllow() {
        String dev = member("ann", "dev-orders");
        String[] elsewhere = CONFIG.clone();
        elsewhere[5] = "prod";

        assertThat(publish(dev).statusCode()).isEqualTo(200);
        assertThat(server.call(dev, "POST", "/v1/cs/configs", elsewhere).statusCode())
                .isEqualTo(403);
        assertThat(server.call(dev, "GET", "/v1/auth/users", "pageNo", "1", "pageSize", "9")
                        .statusCode())
                .isEqualTo(403);
        assertThat(server.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort()
                                        + "/nacos/v1/cs/configs?dataId=a&group=g&tenant=dev"))
                                .header("Authorization", "Bearer " + dev))
                        .body())
                .isEqualTo("x");
        JsonNode rights = AuthenticatedServer.tree(server.call(dev, "GET", "/v3/auth/access"))
                .path("data");
        assertThat(rights.path("username").asString()).isEqualTo("oidc:ann");
        assertThat(rights.path("kind").asString()).isEqualTo("oidc");
        assertThat(rights.path("globalAdmin").asBoolean(true)).isFalse();
        assertThat(rights.path("mustChangePassword").asBoolean(true)).isFalse();
    }

    @Test
    void aTokenWithoutARuleHasNoRight() {
        String stranger = member("eve", "lunch", "xdev-", "PLATFORM");

        assertThat(publish(stranger).statusCode()).isEqualTo(403);
        assertThat(message(publish(stranger))).isEqualTo("authorization failed!");
        try (WireClient client = cairn.newClient()) {
            assertThat(listen(client, stranger).path("errorCode").asInt()).isEqualTo(403);
        }
    }

    @Test
    void theNameOfALocalAdministratorGivesNoRight() {
        String claimed = issuer.token("nacos")
                .with("preferred_username", "nacos")
                .with("name", "nacos")
                .with("roles", List.of("ROLE_ADMIN"))
                .text();

        assertThat(publish(claimed).statusCode()).isEqualTo(403);
        assertThat(server.call(claimed, "PUT", "/v1/auth/users", "username", "nacos", "newPassword", "taken-over")
                        .statusCode())
                .isEqualTo(403);
        assertThat(server.call(
                                claimed,
                                "PUT",
                                "/v1/auth/users/password",
                                "oldPassword",
                                server.adminPassword(),
                                "newPassword",
                                "taken-over")
                        .body())
                .contains("has no password");
        assertThat(server.login("nacos", server.adminPassword()).statusCode())
                .as("local users remain")
                .isEqualTo(200);
    }

    @Test
    void anAdministratorByARuleIsRecordedWithItsSource() {
        String carol = issuer.token("4711")
                .with("preferred_username", "carol")
                .with("groups", List.of("platform"))
                .text();

        assertThat(server.call(carol, "POST", "/v1/auth/users", "username", "made-by-carol", "password", "a-password")
                        .statusCode())
                .isEqualTo(200);
        JsonNode record = AuthenticatedServer.tree(server.call(
                        admin,
                        "GET",
                        "/v3/admin/auth/audit/list",
                        "action",
                        "user.create",
                        "target",
                        "made-by-carol",
                        "pageNo",
                        "1",
                        "pageSize",
                        "10"))
                .path("data")
                .path("pageItems")
                .path(0);
        assertThat(record.path("who").asString()).isEqualTo("oidc:carol (4711)");
        assertThat(record.path("kind").asString()).isEqualTo("OIDC");
    }

    static Stream<Arguments> unacceptable() {
        long soon = System.currentTimeMillis() / 1000 + 600;
        return Stream.of(
                Arguments.of(
                        "another issuer", admin("iss", "https://other.example").text()),
                Arguments.of("another audience", admin("aud", "other").text()),
                Arguments.of("expired", admin("exp", soon - 1200).text()),
                Arguments.of("not yet valid", admin("nbf", soon).text()),
                Arguments.of("no signature", admin("x", "x").withoutSignature()),
                Arguments.of("public key as secret", admin("x", "x").signedWithPublicKey()),
                Arguments.of("forged", admin("x", "x").forged()),
                Arguments.of("too long", admin("x", "x".repeat(64 * 1024)).text()));
    }

    private static TestIssuer.Token admin(String claim, Object value) {
        return issuer.token("mallory").with("groups", List.of("platform")).with(claim, value);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unacceptable")
    void everyOtherTokenIsRefusedWithoutAReason(String why, String token) {
        HttpResponse<String> refused = publish(token);

        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(message(refused)).isEqualTo("token invalid!");
        try (WireClient client = cairn.newClient()) {
            JsonNode answer = listen(client, token);
            assertThat(answer.path("errorCode").asInt()).isEqualTo(403);
            assertThat(answer.path("message").asString()).isEqualTo("token invalid!");
        }
    }

    @Test
    void tokensWithManyGroupsAreLongerThanThoseOfThisServer() {
        String token = member(
                "long",
                Stream.concat(IntStream.range(0, 1000).mapToObj(i -> "unit-" + i), Stream.of("dev-last"))
                        .toArray(String[]::new));

        assertThat(token.length()).isGreaterThan(4096);
        assertThat(publish(token).statusCode()).isEqualTo(200);
        try (WireClient client = cairn.newClient()) {
            assertThat(listen(client, token).path("success").asBoolean()).isTrue();
        }
    }

    @Test
    void requestsWaitForANewKeyOfTheIssuer() throws Exception {
        issuer.rotate();
        String rotated = member("rotated", "dev-a");
        try (WireClient client = cairn.newClient()) {
            CompletableFuture<Payload> overGrpc = client.callAsync(listenRequest(rotated));
            HttpResponse<String> overHttp = publish(rotated);

            assertThat(overHttp.statusCode()).isEqualTo(200);
            assertThat(WireClient.tree(overGrpc.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .path("success")
                            .asBoolean())
                    .isTrue();
        }
        int reads = issuer.keyReads();
        assertThat(publish(issuer.token("x").header("kid", "unknown").text()).statusCode())
                .isEqualTo(403);
        assertThat(issuer.keyReads()).as("asked a moment ago").isEqualTo(reads);
    }

    @Test
    @Tag("full")
    void aWatchEndsWithTheLastTokenOfItsConnection() {
        try (WireClient ends = cairn.newClient();
                WireClient renews = cairn.newClient();
                WireClient local = cairn.newClient()) {
            // After the connections are open, which may take long on a busy machine.
            String ending = issuer.token("ends")
                    .with("groups", List.of("dev-a"))
                    .ends(SOON)
                    .text();
            assertThat(listen(ends, ending).path("success").asBoolean()).isTrue();
            String first = issuer.token("renews")
                    .with("groups", List.of("dev-a"))
                    .ends(SOON)
                    .text();
            assertThat(listen(renews, first).path("success").asBoolean()).isTrue();
            assertThat(listen(local, admin).path("success").asBoolean()).isTrue();
            // No watch: any request renews.
            Payload query = Payload.of(
                    "ConfigQueryRequest",
                    "127.0.0.1",
                    Map.of("accessToken", member("renews", "dev-a")),
                    "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"dev\"}".getBytes(StandardCharsets.UTF_8));
            assertThat(renews.call(query).bodyText()).contains("\"content\":\"x\"");

            await().until(() -> ends.streamEnd().isDone());
            assertThat(renews.streamEnd()).isNotDone();
            assertThat(local.streamEnd()).isNotDone();
        }
    }

    @Test
    @Tag("full")
    void anInstanceStaysUntilItsClientIsBackWithAnotherToken() {
        try (WireClient first = cairn.newClient()) {
            String ending = endingSoon("provider");
            assertThat(register(first, ending).path("resultCode").asInt()).isEqualTo(200);
            assertThat(WireClient.tree(
                                    first.call(
                                            payload(
                                                    "SubscribeServiceRequest",
                                                    ending,
                                                    "{\"namespace\":\"dev\",\"groupName\":\"g\",\"serviceName\":\"kept\",\"subscribe\":true}")))
                            .path("resultCode")
                            .asInt())
                    .isEqualTo(200);

            await().until(() -> first.streamEnd().isDone());
            assertThat(instances()).as("while the client connects again").isEqualTo(1);
            try (WireClient second = cairn.newClient()) {
                assertThat(register(second, member("provider", "dev-a"))
                                .path("resultCode")
                                .asInt())
                        .isEqualTo(200);
                assertThat(instances()).isEqualTo(1);
            }
            await("the client has gone for good").until(() -> instances() == 0);
        }
    }

    private static JsonNode register(WireClient client, String token) {
        return WireClient.tree(client.call(payload(
                "InstanceRequest",
                token,
                "{\"namespace\":\"dev\",\"groupName\":\"g\",\"serviceName\":\"kept\",\"type\":\"registerInstance\","
                        + "\"instance\":{\"ip\":\"10.0.0.9\",\"port\":80}}")));
    }

    private static int instances() {
        return AuthenticatedServer.tree(server.call(
                        admin,
                        "GET",
                        "/v1/ns/instance/list",
                        "namespaceId",
                        "dev",
                        "groupName",
                        "g",
                        "serviceName",
                        "kept"))
                .path("hosts")
                .size();
    }

    private static String endingSoon(String subject) {
        return issuer.token(subject).with("groups", List.of("dev-a")).ends(SOON).text();
    }

    private static Payload payload(String type, String token, String body) {
        return Payload.of(type, "127.0.0.1", Map.of("accessToken", token), body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aRemovedGroupEndsWatches() {
        try (WireClient client = cairn.newClient()) {
            String first = issuer.token("mover")
                    .with("groups", List.of("dev-a"))
                    .ends(Duration.ofMinutes(30))
                    .text();
            assertThat(listen(client, first).path("success").asBoolean()).isTrue();

            assertThat(listen(client, member("mover", "lunch"))
                            .path("errorCode")
                            .asInt())
                    .isEqualTo(403);

            await().until(() -> client.streamEnd().isDone());
        }
    }

    @Test
    void aPermissionThatIsRemovedFromTheRoleEndsWatches() {
        try (WireClient client = cairn.newClient()) {
            assertThat(listen(client, member("passing", "passing"))
                            .path("success")
                            .asBoolean())
                    .isTrue();

            permit("DELETE", "PASSING");

            await().until(() -> client.streamEnd().isDone());
        }
    }

    @Test
    @Tag("full")
    void aLongPollEndsWithItsToken() throws Exception {
        ConfigListeners listeners = cairn.part(ConfigListeners.class);
        String token = issuer.token("polls")
                .with("groups", List.of("dev-a"))
                .ends(SOON)
                .text();
        HttpRequest poll = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + cairn.httpPort() + "/nacos/v1/cs/configs/listener"))
                .header("accessToken", token)
                .header("Long-Pulling-Timeout", "600000")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("Listening-Configs=polled%02g%02%02dev%01"))
                .build();
        CompletableFuture<HttpResponse<String>> answer =
                HttpClient.newHttpClient().sendAsync(poll, HttpResponse.BodyHandlers.ofString());
        await().until(() -> listeners.parkedPolls() > 0);

        assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body()).isEmpty();
    }

    @Test
    void refusalsAndLoginsAreCounted() {
        publish(issuer.token("counted").with("aud", "other").text());
        HttpResponse<String> meters = server.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/actuator/prometheus"))
                        .header("Authorization", "Bearer " + admin));

        assertThat(meters.body())
                .containsPattern("cairn_issuer_tokens_refused_total\\{.*reason=\"audience\".*} [1-9]")
                .containsPattern("cairn_logins_total\\{.*source=\"oidc\".*} [1-9]")
                .containsPattern("cairn_logins_total\\{.*source=\"local\".*} [1-9]");
    }

    private static Payload listenRequest(String token) {
        return Payload.of(
                "ConfigBatchListenRequest",
                "127.0.0.1",
                Map.of("accessToken", token),
                ("{\"listen\":true,\"configListenContexts\":[{\"dataId\":\"watched\",\"group\":\"g\",\"tenant\":\"dev\",\"md5\":\"\"}]}")
                        .getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode listen(WireClient client, String token) {
        return WireClient.tree(client.call(listenRequest(token)));
    }

    private static String message(HttpResponse<String> answer) {
        return AuthenticatedServer.tree(answer).path("message").asString();
    }
}

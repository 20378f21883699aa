package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.testing.TestIssuer;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Rules for the callers of an issuer that administrators store while the server runs. */
class IssuerRulesIT {

    private static final String RULE = "/v3/admin/auth/rule";
    private static final TestIssuer issuer = TestIssuer.start();

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open()
            .with("cairn.auth.oidc.issuer", issuer.url())
            .with("cairn.auth.oidc.audiences", TestIssuer.AUDIENCE)
            .with("cairn.auth.oidc.rules[0]", "groups=owners -> ROLE_ADMIN");

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void prepare() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
        for (String role : List.of("DEV", "OPS")) {
            assertThat(server.call(
                                    admin,
                                    "POST",
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
        await("the keys of the issuer").until(() -> isAdmin(member("first", "owners")));
    }

    @AfterAll
    static void stop() {
        issuer.close();
    }

    private static String member(String subject, String group) {
        return issuer.token(subject)
                .with("preferred_username", "of-" + group)
                .with("groups", List.of(group))
                .text();
    }

    private static boolean isAdmin(String token) {
        return list(token).statusCode() == 200;
    }

    private static boolean mayPublish(String token) {
        return server.call(
                                token,
                                "POST",
                                "/v1/cs/configs",
                                "dataId",
                                "a",
                                "group",
                                "g",
                                "tenant",
                                "dev",
                                "content",
                                "x")
                        .statusCode()
                == 200;
    }

    private static HttpResponse<String> list(String token) {
        return server.call(token, "GET", RULE + "/list", "pageNo", "1", "pageSize", "500");
    }

    private static HttpResponse<String> create(String by, String claim, String value, String role) {
        return server.call(by, "POST", RULE, "claim", claim, "value", value, "role", role);
    }

    private static String created(String claim, String value, String role) {
        HttpResponse<String> answer = create(admin, claim, value, role);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return AuthenticatedServer.tree(answer).path("data").path("id").asString();
    }

    private static HttpResponse<String> update(String id, String value, String role) {
        return server.call(admin, "PUT", RULE, "id", id, "claim", "groups", "value", value, "role", role);
    }

    private static HttpResponse<String> delete(String id) {
        return server.call(admin, "DELETE", RULE, "id", id);
    }

    private static List<String> recorded(String action) {
        List<String> found = new ArrayList<>();
        AuthenticatedServer.tree(server.call(
                        admin, "GET", "/v3/admin/auth/audit/list", "action", action, "pageNo", "1", "pageSize", "100"))
                .path("data")
                .path("pageItems")
                .forEach(row -> found.add(row.path("who").asString() + ": "
                        + row.path("target").asString() + " ("
                        + row.path("detail").asString("") + ')'));
        return found;
    }

    @Test
    void aStoredRuleAppliesToTheNextRequestAndOnlyWhileItIsStored() {
        String token = member("4711", "platform");
        assertThat(mayPublish(token)).isFalse();

        String id = created("groups", "plat*", "DEV");
        assertThat(mayPublish(token)).as("the token was known before the rule").isTrue();

        assertThat(update(id, "other-*", "DEV").statusCode()).isEqualTo(200);
        assertThat(mayPublish(token)).isFalse();

        assertThat(update(id, "platform", "DEV").statusCode()).isEqualTo(200);
        assertThat(mayPublish(token)).isTrue();

        assertThat(delete(id).statusCode()).isEqualTo(200);
        assertThat(mayPublish(token)).isFalse();
        assertThat(recorded("rule.create")).contains("nacos: groups=plat* -> DEV ()");
        assertThat(recorded("rule.update"))
                .contains(
                        "nacos: groups=other-* -> DEV (before: groups=plat* -> DEV)",
                        "nacos: groups=platform -> DEV (before: groups=other-* -> DEV)");
        assertThat(recorded("rule.delete")).contains("nacos: groups=platform -> DEV ()");
    }

    @Test
    void theListHasTheRulesOfTheSettingsAndWhoStoredTheOthers() {
        String byRule = member("4712", "owners");
        String id = AuthenticatedServer.tree(create(byRule, "department", "it", "OPS"))
                .path("data")
                .path("id")
                .asString();

        JsonNode rules = AuthenticatedServer.tree(list(admin)).path("data").path("pageItems");

        assertThat(rules.path(0).toString())
                .isEqualTo("{\"id\":null,\"claim\":\"groups\",\"value\":\"owners\",\"role\":\"ROLE_ADMIN\","
                        + "\"source\":\"setting\",\"globalAdmin\":true,\"changedBy\":null,\"changedAt\":null}");
        assertThat(rules).anySatisfy(rule -> {
            assertThat(rule.path("id").asString("")).isEqualTo(id);
            assertThat(rule.path("source").asString()).isEqualTo("stored");
            assertThat(rule.path("changedBy").asString()).isEqualTo("oidc:of-owners (4712)");
            assertThat(rule.path("changedAt").asLong()).isPositive();
        });
    }

    @Test
    void aRuleThatMakesAdministratorsSaysSoInTheAudit() {
        String token = member("4713", "chiefs");
        String id = created("groups", "chiefs", "OPS");
        assertThat(isAdmin(token)).isFalse();

        assertThat(update(id, "chiefs", "ROLE_ADMIN").statusCode()).isEqualTo(200);

        assertThat(isAdmin(token)).isTrue();
        assertThat(recorded("rule.update"))
                .contains("nacos: groups=chiefs -> ROLE_ADMIN (makes administrators; before: groups=chiefs -> OPS)");
        assertThat(delete(id).statusCode()).isEqualTo(200);
        assertThat(isAdmin(token)).isFalse();
    }

    @Test
    void aDeletedRuleEndsTheWatchesThatItAllowed() {
        String id = created("groups", "watching", "DEV");
        String other = created("groups", "staying", "OPS");
        try (WireClient loses = cairn.newClient();
                WireClient keeps = cairn.newClient()) {
            assertThat(listen(loses, member("4714", "watching")).path("success").asBoolean())
                    .isTrue();
            assertThat(listen(keeps, member("4715", "staying")).path("success").asBoolean())
                    .isTrue();

            assertThat(delete(id).statusCode()).isEqualTo(200);

            await().until(() -> loses.streamEnd().isDone());
            assertThat(listen(keeps, member("4715", "staying")).path("success").asBoolean())
                    .isTrue();
        }
        assertThat(delete(other).statusCode()).isEqualTo(200);
    }

    private static JsonNode listen(WireClient client, String token) {
        return WireClient.tree(client.call(Payload.of(
                "ConfigBatchListenRequest",
                "127.0.0.1",
                Map.of("accessToken", token),
                ("{\"listen\":true,\"configListenContexts\":[{\"dataId\":\"watched\",\"group\":\"g\",\"tenant\":\"dev\",\"md5\":\"\"}]}")
                        .getBytes(StandardCharsets.UTF_8))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, textBlock = """
            groups|**|DEV|has no condition
            groups||DEV|value
            aud|cairn|ROLE_ADMIN|makes every caller of the issuer an administrator
            a=b|x|DEV|claim: 'a=b' (expected: a name without '=')
            groups|x|a->b|role: 'a->b' (expected: a name without '->')
            groups| x|DEV|value: ' x' (expected: 1-250 characters, no control character and no space around them)
            """)
    void refusesARuleThatMatchesEverybodyOrCannotBeRead(String claim, String value, String role, String why) {
        HttpResponse<String> answer = create(admin, claim, value == null ? "" : value, role);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains(why);
    }

    @Test
    void refusesLongPartsAndARuleThatIsStored() {
        assertThat(create(admin, "c".repeat(101), "x", "DEV").body()).contains("expected: 1-100 characters");
        assertThat(create(admin, "groups", "x".repeat(251), "DEV").body()).contains("expected: 1-250 characters");
        assertThat(create(admin, "groups", "x", "r".repeat(51)).body()).contains("expected: 1-50 characters");

        String id = created("groups", "twice", "DEV");
        assertThat(create(admin, "groups", "twice", "DEV").statusCode()).isEqualTo(409);
        assertThat(create(admin, "groups", "twice", "DEV").body()).contains("is stored already");
        assertThat(delete(id).statusCode()).isEqualTo(200);
        assertThat(delete(id).statusCode()).isEqualTo(404);
        assertThat(update(id, "x", "DEV").body()).contains("no stored rule has the id");
    }

    @Test
    void atMost200RulesAreStored() {
        List<String> ids = new ArrayList<>();
        HttpResponse<String> last;
        do {
            last = create(admin, "groups", "many-" + ids.size(), "DEV");
            ids.add(AuthenticatedServer.tree(last).path("data").path("id").asString(""));
        } while (last.statusCode() == 200);

        assertThat(last.statusCode()).isEqualTo(400);
        assertThat(last.body()).contains("expected: at most 200");
        ids.subList(0, ids.size() - 1).forEach(IssuerRulesIT::delete);
        // Other tests have stored a few.
        assertThat(ids.size()).isBetween(190, 201);
    }
}

package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRouter;
import io.cairn.server.rpc.MessageRouter;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.testing.TestIssuer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Calls every endpoint and sends every message type of the running server: without a login, as a reader of one
 * namespace, as a writer of another, and as an administrator.
 */
class AccessMatrixIT {

    private static final TestIssuer issuer = TestIssuer.start();

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open()
            .with("cairn.auth.oidc.issuer", issuer.url())
            .with("cairn.auth.oidc.audiences", TestIssuer.AUDIENCE)
            .with("cairn.auth.oidc.rules[0]", "groups=admins -> ROLE_ADMIN")
            .with("cairn.auth.oidc.rules[1]", "groups=readers -> Rreader")
            .with("cairn.auth.oidc.rules[2]", "groups=strangers -> Rstranger");

    /** The endpoints that require no login. An addition here is a decision that the endpoint is public. */
    private static final Set<String> OPEN = Set.of(
            "POST /v1/auth/login",
            "POST /v1/auth/users/login",
            "POST /v1/auth/users/admin",
            "POST /v1/auth/admin",
            "GET /v1/auth/oidc/config",
            "GET /v1/auth/oidc/login",
            "GET /v1/auth/oidc/callback",
            "GET /v1/auth/oidc/exchange",
            "GET /v1/auth/oidc/logout",
            "POST /v3/auth/user/login",
            "POST /v3/auth/user/admin",
            "GET /v1/console/health/liveness",
            "GET /v1/console/health/readiness",
            "GET /v1/console/server/state",
            "GET /v1/cs/health",
            "GET /v1/ns/**",
            "GET /v1/ns/operator/metrics",
            "GET /v1/ns/ops/metrics",
            "GET /v2/console/health/liveness",
            "GET /v2/console/health/readiness",
            "GET /v3/admin/core/state",
            "GET /v3/admin/core/state/liveness",
            "GET /v3/admin/core/state/readiness",
            "GET /v3/admin/core/ops/readiness",
            "GET /v3/console/server/state",
            "GET /v3/console/health/liveness",
            "GET /v3/console/health/readiness",
            "GET /v3/openapi.json",
            "GET /serverlist",
            "GET /v1/console/server/announcement",
            "GET /v1/console/server/guide",
            "GET /v3/console/server/announcement",
            "GET /v3/console/server/guide");

    /** The endpoints that every logged-in user may call, whatever its permissions. */
    private static final Set<String> KNOWN = Set.of(
            "GET /v1/console/namespaces",
            "GET /v1/ns/operator/servers",
            "GET /v1/ns/ops/servers",
            "GET /v1/ns/health/server",
            "GET /v1/ns/health/checkers",
            "GET /v1/ns/service/selector/types",
            "GET /v2/console/namespace/list",
            "GET /v2/ns/operator/metrics",
            "GET /v2/ns/ops/metrics",
            "GET /v3/admin/core/namespace/list",
            "GET /v3/console/core/namespace/list",
            "GET /v3/admin/ns/health/checkers",
            "GET /v3/admin/ns/service/selector/types",
            "GET /v3/console/ns/service/selector/types",
            "GET /v3/admin/ns/ops/metrics",
            "GET /v3/admin/core/events",
            "GET /v3/auth/access",
            "GET /v3/auth/access/check");

    private static final String[] ABOUT_A = {
        "dataId",
        "matrix",
        "group",
        "g",
        "groupName",
        "g",
        "tenant",
        "a",
        "namespaceId",
        "a",
        "serviceName",
        "matrix",
        "ip",
        "10.0.0.1",
        "port",
        "80"
    };
    private static final Set<String> MESSAGES_OF_A = Set.of(
            "ConfigQueryRequest",
            "ServiceQueryRequest",
            "SubscribeServiceRequest",
            "ServiceListRequest",
            "ConfigBatchListenRequest",
            "ConfigFuzzyWatchRequest",
            "NamingFuzzyWatchRequest");

    private static AuthenticatedServer server;
    private static String admin;
    private static String reader;
    private static String stranger;

    @AfterAll
    static void stop() {
        issuer.close();
    }

    private static String issued(String group) {
        return issuer.token("of-" + group).with("groups", List.of(group)).text();
    }

    @BeforeAll
    static void users() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
        reader = server.userWith(admin, "reader", "a:*:*", "r");
        stranger = server.userWith(admin, "stranger", "b:*:*", "rw");
        HttpRoute listing = guarded().stream()
                .filter(route -> name(route).equals("GET /v3/auth/access"))
                .findFirst()
                .orElseThrow();
        await("the keys of the issuer").until(() -> !isDenied(issued("readers"), listing));
    }

    private static List<HttpRoute> guarded() {
        return cairn.part(HttpRouter.class).routes().stream()
                .filter(route ->
                        (route.path().startsWith("/v") || route.path().equals("/serverlist")) && !route.atRoot())
                .toList();
    }

    private static String name(HttpRoute route) {
        return route.method() + ' ' + route.path();
    }

    private static boolean isDenied(String token, HttpRoute route) {
        if (route.path().equals("/v3/admin/core/events")) {
            // A response without an end.
            return server.isDeniedAtOnce(token, route.path());
        }
        HttpResponse<String> answer =
                server.call(token, route.method(), route.path().replace("/**", "/x"), ABOUT_A);
        return answer.statusCode() == 403 && answer.body().contains("\"status\":403");
    }

    @Test
    void anonymousCallersReachOnlyPublicEndpoints() {
        List<String> letIn = new ArrayList<>();
        guarded().stream().filter(route -> !isDenied(null, route)).forEach(route -> letIn.add(name(route)));

        assertThat(guarded()).hasSizeGreaterThan(200);
        assertThat(new TreeSet<>(letIn)).containsExactlyElementsOf(new TreeSet<>(OPEN));
    }

    @Test
    void aWriterOfAnotherNamespaceIsDenied() {
        List<String> letIn = new ArrayList<>();
        guarded().stream().filter(route -> !isDenied(stranger, route)).forEach(route -> letIn.add(name(route)));

        TreeSet<String> expected = new TreeSet<>(OPEN);
        expected.addAll(KNOWN);
        expected.addAll(BY_EACH);
        expected.addAll(BY_ROW);
        expected.addAll(OWN_PASSWORD);
        assertThat(new TreeSet<>(letIn)).isEqualTo(with(expected, listening()));
    }

    @Test
    void tokensOfAnIssuerAreAllowedWhatTheirRolesAre() {
        assertThat(letIn(issued("strangers"), guarded())).isEqualTo(letIn(stranger, guarded()));
        assertThat(letIn(issued("none"), guarded())).as("without a rule").isSubsetOf(letIn(stranger, guarded()));
        List<HttpRoute> reads =
                guarded().stream().filter(route -> route.method().equals("GET")).toList();
        assertThat(letIn(issued("readers"), reads)).isEqualTo(letIn(reader, reads));
        assertThat(letIn(issued("admins"), reads)).hasSameSizeAs(reads);
        assertThat(letIn(
                        issuer.token("other")
                                .with("groups", "admins")
                                .with("aud", "other")
                                .text(),
                        guarded()))
                .isEqualTo(new TreeSet<>(OPEN));
    }

    private static TreeSet<String> letIn(String token, List<HttpRoute> routes) {
        TreeSet<String> names = new TreeSet<>();
        routes.stream().filter(route -> !isDenied(token, route)).forEach(route -> names.add(name(route)));
        return names;
    }

    /**
     * These check each configuration of the request by itself, and the requests here name none; see
     * {@link BulkRightsIT}.
     */
    private static final Set<String> BY_EACH = Set.of(
            "POST /v3/admin/cs/config/changeset",
            "DELETE /v3/admin/cs/config/batch",
            "DELETE /v3/console/cs/config/batchDelete");

    /** It leaves out the configurations that its caller may not read; see {@link RowAccessIT}. */
    private static final Set<String> BY_ROW = Set.of("GET /v3/admin/cs/client/configs");

    /** Every user changes its own password there, and sends the present one. */
    private static final Set<String> OWN_PASSWORD = Set.of("PUT /v1/auth/password", "PUT /v1/auth/users/password");

    /** Without a list of keys there is nothing to deny. */
    private static Set<String> listening() {
        return Set.of("POST /v1/cs/configs/listener");
    }

    private static TreeSet<String> with(Set<String> some, Set<String> more) {
        TreeSet<String> all = new TreeSet<>(some);
        all.addAll(more);
        return all;
    }

    @Test
    void aReaderCannotChangeAnything() {
        Set<String> harmless = with(with(OPEN, listening()), OWN_PASSWORD);
        assertThat(guarded().stream()
                        .filter(route -> !route.method().equals("GET") && !harmless.contains(name(route)))
                        .filter(route -> !isDenied(reader, route))
                        .map(AccessMatrixIT::name))
                .isEmpty();
        assertThat(guarded().stream()
                        .filter(route ->
                                route.method().equals("GET") && route.path().contains("/cs/"))
                        .filter(route -> isDenied(reader, route))
                        .map(AccessMatrixIT::name))
                .as(
                        "endpoints about many configurations or about clients are for administrators, a preview for publishers")
                .contains("GET /v1/cs/capacity")
                .allMatch(name -> name.matches(".*/(capacity|derby|gray/preview)"));
    }

    @Test
    void anAdministratorIsDeniedNothing() {
        // Except the endpoint that revokes the present token, and those that change the server itself.
        assertThat(guarded().stream()
                        .filter(route -> route.method().equals("GET"))
                        .filter(route -> isDenied(admin, route))
                        .map(AccessMatrixIT::name))
                .isEmpty();
    }

    @Test
    void healthIsPublicAndMetersRequireThePermission() {
        String scraper = AuthenticatedServer.tree(server.call(
                        admin,
                        "POST",
                        "/v3/admin/auth/token",
                        "name",
                        "prometheus",
                        "scopes",
                        "r public:*:metrics/*",
                        "ttlSeconds",
                        "600"))
                .path("data")
                .path("token")
                .asString();
        String everywhere = server.userWith(admin, "everywhere", "*:*:*", "r");
        List<HttpRoute> endpoints = cairn.part(HttpRouter.class).routes().stream()
                .filter(route -> route.path().startsWith("/actuator"))
                .toList();
        assertThat(endpoints).extracting(HttpRoute::path).contains("/actuator/prometheus", "/actuator/health/writes");
        for (HttpRoute route : endpoints) {
            boolean open = route.path().matches("/actuator/(health|info)(/.*)?");
            boolean meters = route.path().matches("/actuator/(metrics|prometheus)(/.*)?");
            for (String token : new String[] {null, reader, stranger, "wrong"}) {
                assertThat(isDenied(route, token))
                        .as("%s with %s", route, token)
                        .isEqualTo(!open);
            }
            for (String token : new String[] {scraper, everywhere}) {
                assertThat(isDenied(route, token))
                        .as("%s with %s", route, token)
                        .isEqualTo(!open && !meters);
            }
            assertThat(isDenied(route, admin)).as("%s as admin", route).isFalse();
        }
        assertThat(server.call(scraper, "GET", "/v1/cs/configs", ABOUT_A).statusCode())
                .isEqualTo(403);
    }

    private static boolean isDenied(HttpRoute route, String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort()
                + (route.atRoot() ? "" : "/nacos") + route.path().replace("/**", "/jvm.memory.used")));
        if (token != null) {
            // The header that Prometheus sends.
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> answer = server.send(request);
        assertThat(answer.statusCode()).isIn(200, 403, 404);
        return answer.statusCode() == 403;
    }

    @Test
    void checksEveryMessageByItsToken() {
        String body = "{\"dataId\":\"matrix\",\"group\":\"g\",\"tenant\":\"a\",\"content\":\"x\",\"namespace\":\"a\","
                + "\"serviceName\":\"matrix\",\"groupName\":\"g\",\"type\":\"registerInstance\",\"groupKeyPattern\":\"a>>g>>*\","
                + "\"listen\":true,\"pageNo\":1,\"pageSize\":1,\"configListenContexts\":[{\"dataId\":\"matrix\",\"group\":\"g\","
                + "\"tenant\":\"a\",\"md5\":\"\"}]}";
        try (WireClient client = cairn.newClient()) {
            for (String type : cairn.part(MessageRouter.class).requestTypes()) {
                if (type.equals("HealthCheckRequest")) {
                    continue;
                }
                assertThat(isDenied(client, type, null, body))
                        .as("%s as nobody", type)
                        .isTrue();
                assertThat(isDenied(client, type, stranger, body))
                        .as("%s as a stranger", type)
                        .isTrue();
                assertThat(isDenied(client, type, reader, body))
                        .as("%s as a reader", type)
                        .isEqualTo(!MESSAGES_OF_A.contains(type));
                assertThat(isDenied(client, type, admin, body))
                        .as("%s as admin", type)
                        .isFalse();
                assertThat(isDenied(client, type, issued("strangers"), body))
                        .as("%s as a stranger of the issuer", type)
                        .isTrue();
                assertThat(isDenied(client, type, issued("readers"), body))
                        .as("%s as a reader of the issuer", type)
                        .isEqualTo(!MESSAGES_OF_A.contains(type));
                assertThat(isDenied(client, type, issued("admins"), body))
                        .as("%s as an administrator of the issuer", type)
                        .isFalse();
            }
        }
    }

    private static boolean isDenied(WireClient client, String type, String token, String body) {
        Map<String, String> headers = token == null ? Map.of() : Map.of("accessToken", token);
        String answer = client.call(Payload.of(type, "127.0.0.1", headers, body.getBytes(StandardCharsets.UTF_8)))
                .bodyText();
        return answer.contains("\"errorCode\":403");
    }
}

package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRouter;
import io.cairn.server.rpc.MessageRouter;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.server.xds.MeshClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Administration and console need a login, clients do not; beside a server on which all do. */
class StagedLoginIT {

    private static final String CLIENT_PATHS =
            "/v3/client/.*|/v1/cs/configs(/.*)?|/v2/cs/config(/.*)?|/v[12]/ns/(instance|service|health)(/.*)?|/v1/ns/operator/servers";
    private static final String CONTENT = "{\"dataId\":\"%s\",\"group\":\"g\",\"tenant\":\"a\",\"content\":\"x\"}";
    private static final String[] KEY = {"dataId", "staged", "group", "g", "tenant", "a", "content", "x"};

    @RegisterExtension
    static final InspectableServer staged = InspectableServer.temporary()
            .with("nacos.core.auth.admin.enabled", "true")
            .with("cairn.auth.rehearsal", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final InspectableServer closed = AuthenticatedServer.open();

    private static AuthenticatedServer open;
    private static AuthenticatedServer strict;
    private static String admin;
    private static String reader;
    private static String strictReader;

    @BeforeAll
    static void users() {
        open = new AuthenticatedServer(staged);
        strict = new AuthenticatedServer(closed);
        admin = open.token("nacos", open.adminPassword());
        reader = open.userWith(admin, "reader", "a:*:*", "r");
        strictReader = strict.userWith(strict.token("nacos", strict.adminPassword()), "reader", "a:*:*", "r");
    }

    @Test
    void onlyThePathsOfClientsNeedNoLogin() {
        TreeSet<String> letIn = new TreeSet<>();
        TreeSet<String> ofClients = new TreeSet<>();
        for (HttpRoute route : staged.part(HttpRouter.class).routes()) {
            if (!route.path().startsWith("/v")
                    || route.atRoot()
                    || route.operation().right().isOpen()) {
                continue;
            }
            String name = route.method() + ' ' + route.path();
            if (!isDenied(route)) {
                letIn.add(name);
            }
            if (route.path().matches(CLIENT_PATHS)) {
                ofClients.add(name);
            }
        }
        assertThat(letIn).isEqualTo(ofClients).hasSizeGreaterThan(30);
    }

    private static boolean isDenied(HttpRoute route) {
        if (route.path().equals("/v3/admin/core/events")) {
            return open.isDeniedAtOnce(null, route.path());
        }
        HttpResponse<String> answer =
                open.call(null, route.method(), route.path().replace("/**", "/x"), "tenant", "a");
        return answer.statusCode() == 403 && answer.body().contains("\"status\":403");
    }

    @Test
    void messagesNeedNoLogin() {
        try (WireClient client = staged.newClient()) {
            for (String type : staged.part(MessageRouter.class).requestTypes()) {
                assertThat(answer(client, type, null, "{}")).as(type).doesNotContain("\"errorCode\":403");
            }
        }
    }

    @Test
    void clientsAreListedWithWhatTheyLack() {
        try (WireClient client = staged.newClient()) {
            assertThat(answer(client, "ConfigPublishRequest", null, CONTENT.formatted("listed")))
                    .contains("\"resultCode\":200");
            assertThat(answer(client, "ConfigPublishRequest", "no token", CONTENT.formatted("listed")))
                    .contains("\"resultCode\":200");
            assertThat(answer(client, "ConfigPublishRequest", reader, CONTENT.formatted("listed")))
                    .contains("\"resultCode\":200");
            assertThat(answer(client, "ConfigPublishRequest", admin, CONTENT.formatted("listed")))
                    .contains("\"resultCode\":200");

            List<JsonNode> rows = rows("gRPC", "w a:*:config/*");
            assertThat(rows)
                    .extracting(row -> row.path("reason").asString())
                    .containsExactlyInAnyOrder("login", "token", "right");
            assertThat(rows).allSatisfy(row -> {
                assertThat(row.path("namespace").asString()).isEqualTo("a");
                assertThat(row.path("requests").asLong()).isEqualTo(1);
                assertThat(row.path("connected").asBoolean()).isTrue();
            });
            assertThat(rows)
                    .filteredOn(row -> row.path("reason").asString().equals("right"))
                    .extracting(row -> row.path("user").asString())
                    .containsExactly("reader");
        }
        await().untilAsserted(() -> assertThat(rows("gRPC", "w a:*:config/*"))
                .allSatisfy(row -> assertThat(row.path("connected").asBoolean()).isFalse()));
    }

    @Test
    void proxiesAreListedWithWhatTheyLack() throws Exception {
        String elsewhere = open.newToken(admin, "proxy", Duration.ofHours(1), "r test:*:naming/*");
        try (MeshClient nobody = MeshClient.open(staged.grpcPort(), Map.of(), Map.of());
                MeshClient denied =
                        MeshClient.open(staged.grpcPort(), Map.of("authorization", "Bearer " + elsewhere), Map.of())) {
            nobody.clusters();
            denied.clusters();

            List<JsonNode> rows = rows("xDS", "r public:*:naming/*");

            assertThat(rows)
                    .extracting(row -> row.path("reason").asString())
                    .containsExactlyInAnyOrder("login", "right");
            assertThat(rows).allSatisfy(row -> assertThat(row.path("connected").asBoolean())
                    .isTrue());
        }
        await().untilAsserted(() -> assertThat(rows("xDS", "r public:*:naming/*"))
                .allSatisfy(row -> assertThat(row.path("connected").asBoolean()).isFalse()));
    }

    @Test
    void aRehearsalCountsTheRequestsThatALoginRefuses() {
        double before = served();
        int refused = 0;
        for (String method : List.of("POST", "GET", "DELETE")) {
            for (String[] tokens : new String[][] {{null, null}, {"no token", "no token"}, {reader, strictReader}}) {
                int answered =
                        open.call(tokens[0], method, "/v1/cs/configs", KEY).statusCode();
                int strictly =
                        strict.call(tokens[1], method, "/v1/cs/configs", KEY).statusCode();
                assertThat(answered).as(method).isNotEqualTo(403);
                refused += strictly == 403 ? 1 : 0;
            }
        }

        assertThat(refused).isEqualTo(8);
        assertThat(served() - before).isEqualTo(refused);
        assertThat(rows("HTTP", "w a:*:config/*"))
                .filteredOn(row -> row.path("reason").asString().equals("right"))
                .singleElement()
                .satisfies(row -> assertThat(row.path("requests").asLong()).isEqualTo(2));
    }

    @Test
    void theConsoleAsksForALogin() {
        assertThat(open.call(null, "GET", "/v1/console/server/state").body()).contains("\"auth_enabled\":\"true\"");
        assertThat(open.call(null, "GET", "/ui/overview").body()).contains("needed");
        assertThat(open.call(null, "GET", "/v3/admin/auth/without-login").statusCode())
                .isEqualTo(403);
    }

    private static double served() {
        return staged
                .part(io.micrometer.core.instrument.MeterRegistry.class)
                .find("cairn.clients.served.without")
                .functionCounters()
                .stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    private static List<JsonNode> rows(String protocol, String right) {
        JsonNode reports = AuthenticatedServer.tree(open.call(admin, "GET", "/v3/admin/auth/without-login"))
                .path("data");
        assertThat(reports.size()).isEqualTo(1);
        assertThat(reports.get(0).path("rehearsal").asBoolean()).isTrue();
        assertThat(reports.get(0).path("clientsNeedLogin").asBoolean()).isFalse();
        return StreamSupport.stream(reports.get(0).path("clients").spliterator(), false)
                .filter(row -> row.path("protocol").asString().equals(protocol)
                        && row.path("right").asString().equals(right))
                .toList();
    }

    private static String answer(WireClient client, String type, String token, String body) {
        Map<String, String> headers = token == null ? Map.of() : Map.of("accessToken", token);
        return client.call(Payload.of(type, "127.0.0.1", headers, body.getBytes(StandardCharsets.UTF_8)))
                .bodyText();
    }
}

package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.InspectableServer;
import io.cairn.server.xds.MeshClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rights of clients of the mesh edge, on a server with login. */
class MeshAccessIT {

    @RegisterExtension
    static final InspectableServer cairn =
            // A stream that ends with its token does so before the accounts are read again.
            AuthenticatedServer.open().timed(timings -> timings.withAccountRefresh(Duration.ofHours(1)));

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void services() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
        for (String name : new String[] {"open", "closed"}) {
            assertThat(server.call(
                                    admin,
                                    "POST",
                                    "/v3/admin/ns/instance",
                                    "serviceName",
                                    name,
                                    "ip",
                                    "10.0.0.1",
                                    "port",
                                    "80",
                                    "ephemeral",
                                    "false")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static String machine(String name, String scope) {
        return server.newToken(admin, name, Duration.ofHours(1), "r " + scope);
    }

    private static MeshClient client(Map<String, String> headers, Map<String, String> metadata) {
        return MeshClient.open(cairn.grpcPort(), headers, metadata);
    }

    @Test
    void clientWithoutCredentialsIsRefused() throws Exception {
        try (MeshClient nobody = client(Map.of(), Map.of())) {
            assertThat(nobody.endAfterAsking()).startsWith("UNAUTHENTICATED").contains("accessToken");
        }
        try (MeshClient wrong = client(Map.of("authorization", "Bearer cairn_no-token"), Map.of())) {
            assertThat(wrong.endAfterAsking()).startsWith("UNAUTHENTICATED");
        }
    }

    @Test
    void refusedClientsStayListedWithTheReason() throws Exception {
        String token = machine("listed", "test:*:naming/*");
        try (MeshClient nobody = client(Map.of(), Map.of());
                MeshClient denied = client(Map.of("authorization", "Bearer " + token), Map.of())) {
            assertThat(nobody.endAfterAsking()).startsWith("UNAUTHENTICATED");
            assertThat(denied.endAfterAsking()).startsWith("PERMISSION_DENIED");
        }
        assertThat(server.call(admin, "GET", "/v3/admin/mesh/proxies", "state", "denied")
                        .body())
                .contains("envoy-1", "'listed' lacks the right to read services");
        assertThat(server.call(admin, "GET", "/v3/admin/mesh/proxies", "state", "unauthenticated")
                        .body())
                .contains("envoy-1", "no credentials");
    }

    @Test
    void refusalNamesTheMissingRight() throws Exception {
        String token = machine("elsewhere", "test:*:naming/*");
        try (MeshClient client = client(Map.of("authorization", "Bearer " + token), Map.of())) {
            assertThat(client.endAfterAsking())
                    .startsWith("PERMISSION_DENIED")
                    .contains("elsewhere", "public:*:naming/*");
        }
    }

    @Test
    void tokenIsTakenFromEachOfItsPlaces() throws Exception {
        String token = machine("places", "public:*:naming/*");
        for (MeshClient each : new MeshClient[] {
            client(Map.of("authorization", "Bearer " + token), Map.of()),
            client(Map.of("accessToken", token), Map.of()),
            client(Map.of(), Map.of("accessToken", token))
        }) {
            try (each) {
                assertThat(each.clusters()).containsExactlyInAnyOrder("open", "closed");
            }
        }
    }

    @Test
    void servicesWithoutTheRightAreLeftOut() throws Exception {
        String token = machine("some", "public:*:naming/open");
        try (MeshClient client = client(Map.of("authorization", "Bearer " + token), Map.of())) {
            assertThat(client.clusters()).containsExactly("open");
        }
    }

    @Test
    void streamEndsSoonAfterTheTokenIsRevoked() throws Exception {
        String token = machine("revoked", "public:*:naming/*");
        String id = token.split("_")[1];
        try (MeshClient client = client(Map.of("authorization", "Bearer " + token), Map.of())) {
            assertThat(client.clusters()).contains("open");
            String proxies = server.call(admin, "GET", "/v3/admin/mesh/proxies", "state", "starting")
                    .body();
            assertThat(proxies).contains("\"user\":\"token:revoked\"").doesNotContain(token);
            assertThat(server.call(admin, "DELETE", "/v3/admin/auth/token", "id", id)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(client.end()).startsWith("UNAUTHENTICATED").contains("revoked");
        }
    }

    @Test
    void rightThatIsTakenAwayEndsTheStream() throws Exception {
        String login = server.userWith(admin, "meshuser", "public:*:*", "r");
        try (MeshClient client = client(Map.of("accessToken", login), Map.of())) {
            assertThat(client.clusters()).contains("open");
            assertThat(server.call(
                                    admin,
                                    "DELETE",
                                    "/v1/auth/permissions",
                                    "role",
                                    "Rmeshuser",
                                    "resource",
                                    "public:*:*",
                                    "action",
                                    "r")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(client.end()).startsWith("PERMISSION_DENIED").contains("meshuser");
        }
    }

    @Test
    void rightToMoreServicesShowsThemOnTheSameStream() throws Exception {
        String login = server.userWith(admin, "growing", "public:*:naming/open", "r");
        try (MeshClient client = client(Map.of("accessToken", login), Map.of())) {
            assertThat(client.clusters()).containsExactly("open");
            assertThat(server.call(
                                    admin,
                                    "POST",
                                    "/v1/auth/permissions",
                                    "role",
                                    "Rgrowing",
                                    "resource",
                                    "public:*:naming/closed",
                                    "action",
                                    "r")
                            .statusCode())
                    .isEqualTo(200);
            client.acknowledge();
            assertThat(client.nextClusters()).containsExactlyInAnyOrder("open", "closed");
        }
    }

    @Test
    void readerOfSomeServicesCannotReadOthersThroughTheMesh() {
        String token = machine("reader", "public:*:naming/open");
        assertThat(server.call(token, "GET", "/v3/admin/mesh/resource", "type", "eds", "name", "open")
                        .body())
                .contains("\"source\":\"registry\"");
        assertThat(server.call(token, "GET", "/v3/admin/mesh/resource", "type", "eds", "name", "closed")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void storedResourceOfAProxyIsShownOnlyToReadersOfItsConfiguration() throws Exception {
        assertThat(server.call(
                                admin,
                                "POST",
                                "/v3/admin/cs/config",
                                "dataId",
                                "cluster.internal",
                                "groupName",
                                "CAIRN_XDS",
                                "type",
                                "yaml",
                                "content",
                                "type: STATIC\nconnect_timeout: 1s\n")
                        .statusCode())
                .isEqualTo(200);
        String proxy = server.newToken(
                admin, "proxy", Duration.ofHours(1), "r public:*:naming/*, r public:CAIRN_XDS:config/*");
        String naming = machine("naming-only", "public:*:naming/*");
        String both =
                server.newToken(admin, "both", Duration.ofHours(1), "r public:*:naming/*, r public:CAIRN_XDS:config/*");
        try (MeshClient client = client(Map.of("accessToken", proxy), Map.of())) {
            assertThat(client.clusters()).contains("internal");
            String id = AuthenticatedServer.tree(
                            server.call(admin, "GET", "/v3/admin/mesh/proxies", "resource", "internal", "type", "cds"))
                    .path("data")
                    .path("pageItems")
                    .path(0)
                    .path("id")
                    .asString();
            assertThat(resource(both, "internal", id).body()).contains("\"source\":\"stored\"");
            assertThat(resource(naming, "internal", id).statusCode()).isEqualTo(404);
            assertThat(config(both, id).body()).contains("\"name\":\"internal\",\"source\":\"stored\"");
            assertThat(config(naming, id).body())
                    .contains("\"name\":\"open\",\"source\":\"registry\"")
                    .doesNotContain("internal");
            // The clusters of services stay visible.
            assertThat(resource(naming, "open", id).body()).contains("\"source\":\"registry\"");
        }
    }

    @Test
    void previewCountsProxiesThatMayReadAndListsThemToReadersOfServices() throws Exception {
        String writer = server.newToken(admin, "releasing", Duration.ofHours(1), "rw public:CAIRN_XDS:config/*");
        String reads = server.newToken(
                admin, "reads", Duration.ofHours(1), "r public:*:naming/*, r public:CAIRN_XDS:config/*");
        String naming = machine("reads-no-config", "public:*:naming/*");
        try (MeshClient reader = client(Map.of("accessToken", reads), Map.of());
                MeshClient other = client(Map.of("accessToken", naming), Map.of())) {
            assertThat(reader.clusters()).isNotEmpty();
            assertThat(other.clusters()).isNotEmpty();

            assertThat(preview(admin))
                    .contains("\"listeners\":1,\"selected\":1,\"gets\":1", "\"identity\":\"envoy-1\"");
            assertThat(preview(writer))
                    .contains("\"listeners\":1,\"selected\":1,\"gets\":1,\"clients\":[]")
                    .doesNotContain("envoy-1");
        }
    }

    private static String preview(String token) {
        return server.call(
                        token,
                        "GET",
                        "/v3/admin/cs/config/gray/preview",
                        "dataId",
                        "cluster.previewed",
                        "groupName",
                        "CAIRN_XDS",
                        "grayName",
                        "all",
                        "grayType",
                        "percentage",
                        "grayRuleExp",
                        "100")
                .body();
    }

    @Test
    void checkReportsOnlyClustersThatTheCallerMayRead() {
        String route = "virtual_hosts:\n- name: all\n  domains: ['*']\n  routes:\n"
                + "  - match: {prefix: /a}\n    route: {cluster: open}\n"
                + "  - match: {prefix: /}\n    route: {cluster: no-such}\n";
        String writer = server.newToken(admin, "writer", Duration.ofHours(1), "rw public:CAIRN_XDS:config/*");
        assertThat(check(writer, route)).contains("\"valid\":true", "\"clusters\":[]");
        String some = server.newToken(
                admin, "some-writer", Duration.ofHours(1), "rw public:CAIRN_XDS:config/*,r public:*:naming/open");
        assertThat(check(some, route)).contains("\"clusters\":[{\"name\":\"open\",\"exists\":true}]");
        assertThat(check(admin, route))
                .contains("{\"name\":\"no-such\",\"exists\":false}", "{\"name\":\"open\",\"exists\":true}");
    }

    private static String check(String token, String content) {
        return server.call(token, "POST", "/v3/admin/mesh/check", "dataId", "route.open", "content", content)
                .body();
    }

    private static HttpResponse<String> config(String token, String proxy) {
        return server.call(token, "GET", "/v3/admin/mesh/config", "type", "cds", "proxy", proxy);
    }

    private static HttpResponse<String> resource(String token, String name, String proxy) {
        return server.call(token, "GET", "/v3/admin/mesh/resource", "type", "cds", "name", name, "proxy", proxy);
    }
}

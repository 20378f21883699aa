package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prometheus discovers instances as its targets, with the name and the password of a user, and nobody else does. */
class PrometheusTargetsIT {

    private static final String ORDERS = "{\"targets\":[\"10.0.0.1:8080\"],\"labels\":"
            + "{\"management_port\":\"8081\",\"_2nd_zone\":\"süd\",\"__meta_clusterName\":\"DEFAULT\"}}";
    private static final String SIX =
            "{\"targets\":[\"[2001:db8::1]:9090\"],\"labels\":{\"__meta_clusterName\":\"east\"}}";
    private static final String SECRET =
            "{\"targets\":[\"10.0.0.9:1\"],\"labels\":{\"_\":\"x\",\"__meta_clusterName\":\"DEFAULT\"}}";

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open().with("nacos.prometheus.metrics.enabled", "true");

    @RegisterExtension
    static final InspectableServer usual = AuthenticatedServer.open();

    private static AuthenticatedServer server;

    @BeforeAll
    static void instances() {
        server = new AuthenticatedServer(cairn);
        String admin = server.token("nacos", server.adminPassword());
        server.userWith(admin, "scraper", "shop:*:*", "r");
        register(
                admin,
                Map.of(
                        "namespaceId", "shop",
                        "serviceName", "orders",
                        "ip", "10.0.0.1",
                        "port", "8080",
                        "metadata", "{\"management.port\":\"8081\",\"2nd-zone\":\"süd\"}"));
        register(
                admin,
                Map.of(
                        "namespaceId", "shop",
                        "groupName", "six",
                        "serviceName", "pay:v1",
                        "ip", "2001:db8::1",
                        "port", "9090",
                        "clusterName", "east"));
        register(admin, Map.of("serviceName", "secret", "ip", "10.0.0.9", "port", "1", "metadata", "{\"\":\"x\"}"));
    }

    private static void register(String admin, Map<String, String> instance) {
        HttpResponse<String> answer = server.call(admin, "POST", "/v1/ns/instance?" + CairnExtension.encode(instance));
        assertThat(answer.body()).isEqualTo("ok");
    }

    private static HttpResponse<String> get(String path, String user, String password) {
        String pair = Base64.getEncoder().encodeToString((user + ':' + password).getBytes(StandardCharsets.UTF_8));
        return server.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/nacos/prometheus" + path))
                        .header("Authorization", "Basic " + pair));
    }

    private static String targets(String path) {
        HttpResponse<String> answer = get(path, "nacos", server.adminPassword());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json;charset=UTF-8");
        return answer.body();
    }

    @Test
    void allInstancesAreTargetsWithTheirClusterAndTheirMetadata() {
        assertThat(AuthenticatedServer.tree(get("", "nacos", server.adminPassword())))
                .hasSize(3);
        assertThat(targets("")).contains(ORDERS, SIX, SECRET);
    }

    @Test
    void thePathSelectsTheTargetsOfANamespaceOrService() {
        assertThat(targets("/namespaceId/public")).isEqualTo('[' + SECRET + ']');
        assertThat(targets("/namespaceId/shop")).isEqualTo('[' + ORDERS + ',' + SIX + ']');
        assertThat(targets("/namespaceId/shop/service/orders")).isEqualTo('[' + ORDERS + ']');
        assertThat(targets("/namespaceId/shop/service/six%40%40pay%3Av1")).isEqualTo('[' + SIX + ']');
        assertThat(targets("/namespaceId/shop/service/DEFAULT_GROUP@@pay:v1")).isEqualTo("[]");
        assertThat(targets("/namespaceId/elsewhere")).isEqualTo("[]");
    }

    @Test
    void eachCallerGetsReadableTargets() {
        assertThat(get("", "scraper", "pw-of-scraper").body()).isEqualTo('[' + ORDERS + ',' + SIX + ']');
        assertThat(get("/namespaceId/shop/service/orders", "scraper", "pw-of-scraper")
                        .body())
                .isEqualTo('[' + ORDERS + ']');
        assertThat(get("/namespaceId/public", "scraper", "pw-of-scraper").statusCode())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/namespaceId/shop", "/namespaceId/shop/service/orders", "/namespaceId/a/b"})
    void anonymousCallersAreRefused(String path) {
        assertThat(server.call(null, "GET", "/prometheus" + path).statusCode()).isEqualTo(403);
        assertThat(get(path, "nobody", "wrong").statusCode()).isEqualTo(403);
        assertThat(server.call(null, "GET", "/prometheus" + path).body()).doesNotContain("targets");
    }

    @Test
    void aTokenForServicesWillDo() {
        String admin = server.token("nacos", server.adminPassword());
        HttpResponse<String> made = server.call(
                admin,
                "POST",
                "/v3/admin/auth/token",
                "name",
                "targets",
                "scopes",
                "r shop:*:naming/*",
                "ttlSeconds",
                "600");
        HttpResponse<String> answer = server.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/nacos/prometheus"))
                        .header(
                                "Authorization",
                                "Bearer "
                                        + AuthenticatedServer.tree(made)
                                                .at("/data/token")
                                                .asString()));

        assertThat(answer.body()).isEqualTo('[' + ORDERS + ',' + SIX + ']');
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/namespaceId/a/b",
                "/namespaceId/shop/orders/x",
                "/namespaceId/shop/service/orders/x",
                "/x",
                "/namespaceId",
                "/namespaceId/",
                "/namespaceId//service/x",
                "/namespaceId/shop/service/"
            })
    void anUnknownPathIsNotFound(String path) {
        assertThat(get(path, "nacos", server.adminPassword()).statusCode()).isEqualTo(404);
    }

    @Test
    void theEndpointIsOffByDefault() {
        AuthenticatedServer without = new AuthenticatedServer(usual);
        String admin = without.token("nacos", without.adminPassword());
        for (String path : new String[] {"/prometheus", "/prometheus/namespaceId/public"}) {
            assertThat(without.call(admin, "GET", path).statusCode()).isEqualTo(404);
        }
    }
}

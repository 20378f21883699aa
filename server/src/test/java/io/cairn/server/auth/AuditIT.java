package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRouter;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The audit records each change that a user makes; it does not record what clients do on their own. */
class AuditIT {

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open();

    /** Recorded by the store, with the change itself: see AuditContract, and the contracts of configurations and accounts. */
    private static final Set<String> BY_THE_STORE = Set.of(
            "cs/configs?",
            "cs/config",
            "cs/config/(beta|metadata|batch|batchDelete|changeset|clone|clone/namespace|import)",
            "cs/history/rollback",
            "cs/capacity",
            "console/namespaces?",
            "core/namespace",
            "ns/(operator|ops)/switches",
            "ns/service",
            "ns/service/cluster",
            "ns/cluster",
            "ns/instance",
            "ns/instance/(partial|drain|metadata/batch)",
            "auth(/users)?(/password)?",
            "auth/(users?|roles?|permissions?|admin|users/admin|user/admin|token|rule|secret)",
            "as/nodes",
            "core/restore");

    /** Clients registering themselves, logins, which have a record of their own, and what changes nothing here. */
    private static final Set<String> NO_CHANGE = Set.of(
            "client/ns/instance",
            "ns/instance/beat",
            "cs/configs/listener",
            "auth/token/explain",
            "auth/(login|users/login|user/login)",
            "cs/ops/localCache",
            "cs/ops/derby/import",
            "cs/ops/data/removal",
            "core/cluster/(lookup|node/list|nodes|switch|report|server/leave)",
            "core/cluster/.*",
            "core/ops/raft",
            "admin/mesh/check");

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void logIn() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
    }

    @Test
    void everyRouteThatChangesSomethingIsRecordedOrKnownNotToBe() {
        List<HttpRoute> routes = cairn.part(HttpRouter.class).routes().stream()
                .filter(route -> route.path().startsWith("/v") && !route.atRoot())
                .toList();
        Set<String> all = routes.stream().map(HttpRoute::name).collect(Collectors.toSet());
        Set<String> noted = routes.stream()
                .filter(route -> route.operation().isRecorded())
                .map(HttpRoute::name)
                .collect(Collectors.toSet());
        Set<String> open = new TreeSet<>();
        for (String route : all) {
            String path = route.replaceFirst("^[A-Z]+ /v[123]/((admin|console)/(?=cs/|ns/|core/|auth/))?", "");
            boolean isKnown = noted.contains(route)
                    || BY_THE_STORE.stream().anyMatch(path::matches)
                    || NO_CHANGE.stream().anyMatch(path::matches);
            if (!route.startsWith("GET ") && !isKnown) {
                open.add(route);
            }
        }

        assertThat(open).isEmpty();
        assertThat(noted)
                .as("clients are sent away by GET, too")
                .contains("GET /v2/core/loader/reloadCurrent", "GET /v2/core/loader/reloadClient");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POST | /v1/ns/service | namespaceId=au1&serviceName=s1&groupName=g | service.create | au1:g:naming/s1
            PUT | /v1/ns/service | namespaceId=au1&serviceName=s1&groupName=g&protectThreshold=0.5 | service.update | au1:g:naming/s1
            DELETE | /v1/ns/service | namespaceId=au1&serviceName=s1&groupName=g | service.delete | au1:g:naming/s1
            POST | /v3/console/ns/service | namespaceId=au3&serviceName=s3&groupName=g | service.create | au3:g:naming/s3
            PUT | /v3/admin/ns/cluster | namespaceId=au3&serviceName=s3&groupName=g&clusterName=DEFAULT&checkPort=81&useInstancePort4Check=true&healthChecker=%7B%22type%22%3A%22NONE%22%7D | service.update | au3:g:naming/s3
            POST | /v1/ns/instance | namespaceId=au1&serviceName=p&ip=10.0.0.1&port=80&ephemeral=false | instance.register | au1:DEFAULT_GROUP:naming/p
            PUT | /v2/ns/instance | namespaceId=au1&serviceName=p&ip=10.0.0.1&port=80&ephemeral=false&weight=3 | instance.override | au1:DEFAULT_GROUP:naming/p
            PUT | /v3/admin/ns/instance/drain | namespaceId=au1&serviceName=p&ip=10.0.0.1&port=80&force=true&wait=0s | instance.drain | au1:DEFAULT_GROUP:naming/p
            DELETE | /v3/admin/ns/instance/drain | namespaceId=au1&serviceName=p&ip=10.0.0.1&port=80 | instance.drain.end | au1:DEFAULT_GROUP:naming/p
            DELETE | /v1/ns/instance | namespaceId=au1&serviceName=p&ip=10.0.0.1&port=80&ephemeral=false | instance.deregister | au1:DEFAULT_GROUP:naming/p
            POST | /v3/admin/ns/instance | namespaceId=au3&serviceName=e&ip=10.0.0.2&port=80 | instance.register | au3:DEFAULT_GROUP:naming/e
            DELETE | /v3/admin/ns/instance | namespaceId=au3&serviceName=e&ip=10.0.0.2&port=80 | instance.deregister | au3:DEFAULT_GROUP:naming/e
            POST | /v1/console/namespaces | customNamespaceId=au-n&namespaceName=n | namespace.create | au-n
            PUT | /v2/console/namespace | namespaceId=au-n&namespaceName=m | namespace.edit | au-n
            DELETE | /v3/admin/core/namespace | namespaceId=au-n | namespace.delete | au-n
            POST | /v1/cs/capacity | group=au&quota=5 | capacity.set | group:au
            POST | /v3/admin/cs/capacity | namespaceId=au&quota=6 | capacity.set | namespace:au
            PUT | /v1/ns/operator/switches | entry=checkTimes&value=4 | switch.set | checkTimes
            PUT | /v3/admin/ns/ops/switches | entry=distroThreshold&value=0.6&debug=true | switch.set | distroThreshold
            PUT | /v3/admin/core/ops/log | logName=cairn-test&logLevel=INFO | log.level | cairn-test
            POST | /v3/admin/core/loader/smartReloadCluster | loaderFactor=0.2 | node.rebalance | *
            POST | /v3/admin/core/loader/reloadCurrent | count=100000 | connection.reload | *
            GET | /v2/core/loader/reloadClient | connectionId=nobody | connection.reload | nobody
            """)
    void recordsUserAndAddress(String method, String path, String query, String action, String target) {
        HttpResponse<String> answer = server.call(admin, method, path + '?' + query);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);

        JsonNode found = await().until(() -> records("action", action, "target", target), records -> !records.isEmpty())
                .get(0);
        assertThat(found.path("who").asString()).isEqualTo("nacos");
        assertThat(found.path("kind").asString()).isEqualTo("USER");
        assertThat(found.path("address").asString()).isEqualTo("127.0.0.1");
    }

    @Test
    void doesNotRecordRefusedOrFailedRequests() {
        String ruth = server.userWith(admin, "ruth", "au-r:*:*", "r");

        assertThat(server.call(ruth, "POST", "/v1/ns/service?namespaceId=au-r&serviceName=s")
                        .statusCode())
                .isEqualTo(403);
        assertThat(server.call(admin, "DELETE", "/v1/ns/service?namespaceId=au-r&serviceName=s")
                        .statusCode())
                .isEqualTo(400);
        assertThat(server.call(admin, "POST", "/v3/admin/core/loader/reloadCurrent?count=-7")
                        .statusCode())
                .isEqualTo(400);

        assertThat(records("target", "au-r:DEFAULT_GROUP:*")).isEmpty();
        assertThat(records("action", "connection.*").findValuesAsString("detail"))
                .doesNotContain("keep -7");
    }

    @Test
    void doesNotRecordRegistrationsOfClients() {
        server.call(admin, "POST", "/v1/ns/instance?namespaceId=au-c&serviceName=s&ip=10.0.0.3&port=80");
        server.call(admin, "PUT", "/v1/ns/instance/beat?namespaceId=au-c&serviceName=s&ip=10.0.0.3&port=80");
        server.call(admin, "DELETE", "/v1/ns/instance?namespaceId=au-c&serviceName=s&ip=10.0.0.3&port=80");
        // A later change is recorded, so an earlier one would be there.
        server.call(admin, "POST", "/v1/ns/service?namespaceId=au-c&serviceName=last");

        await().untilAsserted(() -> assertThat(records("target", "au-c:*")).hasSize(1));
    }

    @Test
    void aPersistentInstanceOverGrpcIsRecordedUnderItsToken() {
        try (WireClient client = cairn.newClient()) {
            String body = "{\"namespace\":\"au-g\",\"serviceName\":\"s\",\"groupName\":\"g\",\"type\":"
                    + "\"registerInstance\",\"instance\":{\"ip\":\"10.0.0.4\",\"port\":80,\"ephemeral\":false}}";
            assertThat(client.call(io.cairn.api.wire.Payload.of(
                                    "PersistentInstanceRequest",
                                    "127.0.0.1",
                                    Map.of("accessToken", admin),
                                    body.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                            .bodyText())
                    .contains("\"success\":true");
        }

        JsonNode found = records("target", "au-g:g:naming/s");
        assertThat(found.findValuesAsString("action")).containsExactly("instance.register");
        assertThat(found.get(0).path("who").asString()).isEqualTo("nacos");
        assertThat(found.get(0).path("address").asString()).isEqualTo("127.0.0.1");
    }

    @Test
    void recordsAreNarrowedByTheKindOfThing() {
        server.call(admin, "POST", "/v1/ns/service?namespaceId=au-k&serviceName=s");
        server.call(admin, "POST", "/v1/console/namespaces?customNamespaceId=au-k&namespaceName=k");

        assertThat(records("type", "service").findValuesAsString("action"))
                .isNotEmpty()
                .allMatch(action -> action.startsWith("service."));
        assertThat(records("type", "namespace").findValuesAsString("action"))
                .isNotEmpty()
                .allMatch(action -> action.startsWith("namespace."));
        assertThat(server.call(admin, "GET", "/v3/admin/auth/audit/export?type=service&target=au-k:*")
                        .body()
                        .lines())
                .hasSize(1);
    }

    private static JsonNode records(String... query) {
        return AuthenticatedServer.tree(server.call(admin, "GET", "/v3/admin/auth/audit/list", query))
                .path("data")
                .path("pageItems");
    }
}

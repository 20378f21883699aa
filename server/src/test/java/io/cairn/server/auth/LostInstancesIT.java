package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A changed password takes instances away: an operator sees which user, since when, how many, and why they are gone. */
@Tag("full")
class LostInstancesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SHORT_LEASE =
            "{\"preserved.heart.beat.interval\":\"1000\",\"preserved.heart.beat.timeout\":\"2000\","
                    + "\"preserved.ip.delete.timeout\":\"3000\"}";

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open();

    private static AuthenticatedServer server;
    private static String admin;

    @BeforeAll
    static void logIn() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
    }

    private static String attention() {
        return server.call(admin, "GET", "/v3/admin/core/attention").body();
    }

    private static HttpResponse<String> instance(String token, String method, String path, String service, int port) {
        return server.call(
                token,
                method,
                path,
                "serviceName",
                service,
                "ip",
                "10.0.0.1",
                "port",
                Integer.toString(port),
                "metadata",
                SHORT_LEASE);
    }

    private static String service(String name) {
        return server.call(admin, "GET", "/v3/admin/ns/service", "serviceName", name)
                .body();
    }

    /** How many instances the service has lost for that reason; on a busy machine not all at the same moment. */
    private static int withoutHeartbeats(String service) {
        int count = 0;
        for (JsonNode loss : JSON.readTree(service(service)).findPath("losses")) {
            assertThat(loss.path("cause").asString()).isEqualTo("EXPIRED");
            assertThat(loss.path("text").asString()).isEqualTo("heartbeats missing");
            count += loss.path("count").asInt();
        }
        return count;
    }

    private static void changePassword(String user) {
        assertThat(server.call(admin, "PUT", "/v3/auth/user", "username", user, "newPassword", "another-" + user)
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void refusedBeatsAreAFindingAndTheLossHasItsReason() {
        String app = server.userWith(admin, "app", "*:*:*", "rw");
        for (int port = 1; port <= 6; port++) {
            assertThat(instance(app, "POST", "/v1/ns/instance", "lost-" + port % 2, port)
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(attention()).doesNotContain("BEATS_REFUSED");

        changePassword("app");
        for (int port = 1; port <= 6; port++) {
            assertThat(instance(app, "PUT", "/v1/ns/instance/beat", "lost-" + port % 2, port)
                            .statusCode())
                    .isEqualTo(403);
        }

        assertThat(attention())
                .contains("\"kind\":\"BEATS_REFUSED\",\"urgent\":true,\"subject\":\"app\"")
                .containsPattern("Beats of user app are refused since 20[^ ]+ \\(token invalid!\\): 6 instances of 2"
                        + " services\",\"used\":6,\"max\":2,\"since\":\\d{13},\"reason\":\"token invalid!\"");
        assertThat(meter("cairn_naming_beats_refused")).isEqualTo(6);
        for (String service : new String[] {"lost-0", "lost-1"}) {
            await().untilAsserted(() -> assertThat(withoutHeartbeats(service)).isEqualTo(3));
        }
        assertThat(attention()).as("also when they are gone").contains("6 instances of 2 services");
        assertThat(meter("cairn_naming_instances_lost_total{cause=\"expired\"}"))
                .isEqualTo(6);

        String again = server.token("app", "another-app");
        for (int port = 1; port <= 6; port++) {
            assertThat(instance(again, "POST", "/v1/ns/instance", "lost-" + port % 2, port)
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(attention()).doesNotContain("BEATS_REFUSED");
    }

    @Test
    void refusedRegistrationsOverGrpcAndBeatsWithAPasswordAreFindingsToo() {
        String grpc = server.userWith(admin, "grpc", "*:*:*", "rw");
        server.userWith(admin, "basic", "*:*:*", "rw");
        changePassword("grpc");
        try (WireClient client = cairn.newClient()) {
            assertThat(client.request("InstanceRequest", """
                            {"namespace":"public","groupName":"DEFAULT_GROUP","serviceName":"over-grpc",
                            "type":"registerInstance","instance":{"ip":"10.0.0.5","port":8080,"ephemeral":true}}""", Map.of("accessToken", grpc))
                            .path("success")
                            .asBoolean())
                    .isFalse();
        }
        assertThat(attention())
                .containsPattern("Beats of user grpc are refused since [^:]+:[^(]+\\(token invalid!\\): 1"
                        + " instance of 1 service");

        assertThat(withPassword("POST", "/v1/ns/instance", "pw-of-basic").statusCode())
                .isEqualTo(200);
        changePassword("basic");
        assertThat(withPassword("PUT", "/v1/ns/instance/beat", "pw-of-basic").statusCode())
                .isEqualTo(403);
        assertThat(attention()).contains("Beats of user basic are refused");
    }

    private static HttpResponse<String> withPassword(String method, String path, String password) {
        return server.call(
                null,
                method,
                path,
                "serviceName",
                "by-password",
                "ip",
                "10.0.0.1",
                "port",
                "80",
                "username",
                "basic",
                "password",
                password);
    }

    @Test
    void operatorThatRemovesAnInstanceIsTheReason() {
        String removed = server.userWith(admin, "removed", "*:*:*", "rw");
        instance(removed, "POST", "/v1/ns/instance", "taken", 1);
        assertThat(instance(admin, "DELETE", "/v3/admin/ns/instance", "taken", 1)
                        .statusCode())
                .isEqualTo(200);

        await().untilAsserted(() -> assertThat(service("taken")).contains("\"cause\":\"REMOVED\""));
    }

    @Test
    void wrongPasswordsAreCounted() {
        double before = meter("cairn_logins_failed_total{reason=\"wrong\"}");
        assertThat(server.login("nacos", "not-the-password").statusCode()).isEqualTo(403);
        assertThat(server.login("nobody", "not-the-password").statusCode()).isEqualTo(403);
        assertThat(meter("cairn_logins_failed_total{reason=\"wrong\"}")).isEqualTo(before + 2);
    }

    private static double meter(String name) {
        return server.call(admin, "GET", "/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + ' '))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .findFirst()
                .orElseThrow();
    }
}

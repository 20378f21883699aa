package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.cairn.server.naming.health.FirstCheck;
import io.cairn.server.support.CairnExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Version 3 says why an instance is unhealthy; versions 1 and 2 answer as Nacos does. */
class UnhealthyReasonIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .timed(timings ->
                    timings.withFirstHealthCheck(new FirstCheck(Duration.ofMillis(100), Duration.ofMillis(200))));

    private static void register(String service, int port, boolean ephemeral, String metadata) {
        assertThat(cairn.post(
                                "/v3/admin/ns/instance",
                                Map.of(
                                        "serviceName",
                                        service,
                                        "ip",
                                        "127.0.0.1",
                                        "port",
                                        Integer.toString(port),
                                        "ephemeral",
                                        Boolean.toString(ephemeral),
                                        "metadata",
                                        metadata))
                        .statusCode())
                .isEqualTo(200);
    }

    private static JsonNode listed(String path, String service) {
        return JSON.readTree(cairn.get(path + "?serviceName=" + service).body()).path("data");
    }

    private static JsonNode only(String service) {
        return listed("/v3/admin/ns/instance/list", service).path(0);
    }

    @Test
    void refusedConnectionIsTheReasonInEveryAnswerOfVersionThreeForOperators() throws IOException {
        try (Socket taken = new Socket()) {
            // Its port is nobody else's, and nobody listens there.
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertRefusalIsTheReason(taken.getLocalPort());
        }
    }

    private static void assertRefusalIsTheReason(int closed) {
        register("closed", closed, false, "{}");
        String text = "TCP 127.0.0.1:" + closed + ": connection refused";

        await().untilAsserted(() -> {
            JsonNode instance = only("closed");
            assertThat(instance.path("healthy").asBoolean()).isFalse();
            assertThat(instance.path("unhealthyBecause").asString()).isEqualTo(text);
            assertThat(instance.path("lastCheck").path("text").asString()).isEqualTo(text);
            assertThat(instance.path("lastCheck").path("passed").asBoolean(true))
                    .isFalse();
            assertThat(instance.path("healthSince").asLong()).isPositive();
            assertThat(instance.path("lastCheck").path("time").asLong())
                    .isGreaterThanOrEqualTo(instance.path("healthSince").asLong());
        });
        assertThat(listed("/v3/console/ns/instance/list", "closed")
                        .path("pageItems")
                        .path(0)
                        .path("unhealthyBecause")
                        .asString())
                .isEqualTo(text);
        assertThat(cairn.get("/v3/admin/ns/instance?serviceName=closed&ip=127.0.0.1&port=" + closed)
                        .body())
                .contains("\"unhealthyBecause\":\"" + text + '"');
        for (String plain :
                new String[] {"/v1/ns/instance/list", "/v2/ns/instance/list", "/v3/client/ns/instance/list"}) {
            assertThat(cairn.get(plain + "?serviceName=closed").body())
                    .as(plain)
                    .contains("127.0.0.1")
                    .doesNotContain("unhealthyBecause")
                    .doesNotContain("lastCheck");
        }
    }

    @Test
    void statusOfAnHttpCheckIsNamed() throws IOException {
        HttpServer target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        target.createContext("/", asked -> {
            asked.sendResponseHeaders(503, -1);
            asked.close();
        });
        target.start();
        try {
            int port = target.getAddress().getPort();
            register("busy", port, false, "{}");
            String form = CairnExtension.encode(Map.of(
                    "serviceName",
                    "busy",
                    "clusterName",
                    "DEFAULT",
                    "checkPort",
                    "80",
                    "useInstancePort4Check",
                    "true",
                    "healthChecker",
                    "{\"type\":\"HTTP\",\"path\":\"/\"}"));
            assertThat(cairn.send(HttpRequest.newBuilder(cairn.uri("/v1/ns/cluster?" + form))
                                    .PUT(HttpRequest.BodyPublishers.noBody()))
                            .statusCode())
                    .isEqualTo(200);

            await().untilAsserted(() -> assertThat(
                            only("busy").path("unhealthyBecause").asString())
                    .contains("HTTP 127.0.0.1:" + port)
                    .contains("503"));
        } finally {
            target.stop(0);
        }
    }

    @Test
    void missingHeartbeatsAreTheReasonWithTheLastOne() {
        register(
                "silent",
                80,
                true,
                "{\"preserved.heart.beat.interval\":\"500\",\"preserved.heart.beat.timeout\":\"8000\","
                        + "\"preserved.ip.delete.timeout\":\"600000\"}");
        assertThat(only("silent").path("healthy").asBoolean()).isTrue();
        assertThat(only("silent").has("unhealthyBecause")).isFalse();
        long registered = only("silent").path("lastBeat").asLong();
        assertThat(registered).isPositive();

        await().untilAsserted(() ->
                assertThat(only("silent").path("unhealthyBecause").asString()).isEqualTo("heartbeats missing"));
        // The time is read from two clocks, the calendar and that of the leases.
        assertThat(only("silent").path("lastBeat").asLong()).isBetween(registered - 500, registered + 500);
        assertThat(only("silent").path("healthSince").asLong()).isGreaterThan(registered + 7_400);
    }
}

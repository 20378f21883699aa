package io.cairn.server.limit;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A refused request names the limit and how to change it; meters and an endpoint show all limits. */
class LimitsIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.limits.connections-per-address", "40")
            .with("cairn.limits.requests-per-second", "400")
            .with("cairn.limits.watches-per-connection", "10")
            .with("cairn.limits.instances-per-client", "3")
            .with("cairn.config.max-content", "1KB");

    private static String listen(int from, int to) {
        return "{\"listen\":true,\"configListenContexts\":["
                + IntStream.range(from, to)
                        .mapToObj(i -> "{\"group\":\"g\",\"dataId\":\"d" + i + "\",\"tenant\":\"\",\"md5\":\"\"}")
                        .collect(Collectors.joining(","))
                + "]}";
    }

    private static String subscribe(String service) {
        return "{\"namespace\":\"public\",\"serviceName\":\"" + service
                + "\",\"groupName\":\"g\",\"subscribe\":true,\"clusters\":\"\"}";
    }

    @Test
    void refusesWatchesOverTheLimitAndKeepsTheOthers() {
        try (WireClient client = cairn.newClient()) {
            assertThat(success(client, "ConfigBatchListenRequest", listen(0, 9)))
                    .isTrue();
            // The same list again adds nothing.
            assertThat(success(client, "ConfigBatchListenRequest", listen(0, 9)))
                    .isTrue();
            JsonNode refused = client.request("ConfigBatchListenRequest", listen(5, 12));
            assertThat(refused.path("success").asBoolean()).isFalse();
            assertThat(refused.path("message").asString())
                    .isEqualTo(
                            "Limit watches-per-connection: 12 (expected: at most 10, cairn.limits.watches-per-connection)");
            assertThat(success(client, "SubscribeServiceRequest", subscribe("one")))
                    .isTrue();
            JsonNode full = client.request("SubscribeServiceRequest", subscribe("two"));
            assertThat(full.path("errorCode").asInt()).isEqualTo(503);
            assertThat(full.path("message").asString()).contains("watches-per-connection");
            assertThat(limit("watches-per-connection").path("used").asInt()).isEqualTo(10);
            assertThat(limit("watches-per-connection").path("exceeded").asInt()).isPositive();
        }
    }

    private static boolean success(WireClient client, String type, String json) {
        return client.request(type, json).path("success").asBoolean();
    }

    @Test
    void refusesAndCountsATooLargeMessage() throws Exception {
        int before = limit("message-bytes").path("exceeded").asInt();
        try (WireClient client = cairn.newClient()) {
            assertThatThrownBy(() -> client.publish("large.txt", "x".repeat(10 * 1024 * 1024)))
                    .hasMessageStartingWith("RESOURCE_EXHAUSTED: gRPC message exceeds maximum size 10485760: ")
                    .hasMessageEndingWith(
                            " (limit message-bytes, nacos.remote.server.grpc.sdk.max-inbound-message-size)");
            assertThat(limit("message-bytes").path("exceeded").asInt()).isEqualTo(before + 1);
            client.publish("small.txt", "x".repeat(5_000));
            assertThat(limit("message-bytes").path("used").asLong()).isBetween(5_000L, 10L * 1024 * 1024);
        }
    }

    private static String register(String type, String service, int instances) {
        return "{\"namespace\":\"public\",\"serviceName\":\"" + service + "\",\"groupName\":\"g\",\"type\":\"" + type
                + "\",\"instances\":["
                + IntStream.range(0, instances)
                        .mapToObj(i -> "{\"ip\":\"10.0.0." + i + "\",\"port\":80,\"ephemeral\":true}")
                        .collect(Collectors.joining(","))
                + "]}";
    }

    @Test
    void limitsTheInstancesOfAClient() throws Exception {
        try (WireClient client = cairn.newClient()) {
            assertThat(success(client, "BatchInstanceRequest", register("batchRegisterInstance", "a", 2)))
                    .isTrue();
            JsonNode refused = client.request("BatchInstanceRequest", register("batchRegisterInstance", "b", 2));
            assertThat(refused.path("errorCode").asInt()).isEqualTo(503);
            assertThat(refused.path("message").asString())
                    .isEqualTo(
                            "Limit instances-per-client: 4 (expected: at most 3, cairn.limits.instances-per-client)");
            assertThat(client.callAsync(WireClient.payload(
                                    "BatchInstanceRequest", register("batchRegisterInstance", "b", 2)))
                            .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .type())
                    .isEqualTo("BatchInstanceResponse");
            // A smaller batch of one service leaves room for another service.
            assertThat(success(client, "BatchInstanceRequest", register("batchRegisterInstance", "a", 1)))
                    .isTrue();
            assertThat(success(client, "BatchInstanceRequest", register("batchRegisterInstance", "b", 2)))
                    .isTrue();
            assertThat(limit("instances-per-client").path("used").asInt()).isEqualTo(3);
        }
    }

    @Test
    void limitsTheRequestsOfAnAddressPerSecond() {
        try (WireClient client = cairn.newClient()) {
            await().pollInterval(Duration.ofMillis(1)).untilAsserted(() -> {
                List<java.util.concurrent.CompletableFuture<io.cairn.api.wire.Payload>> answers = new ArrayList<>();
                for (int i = 0; i < 900; i++) {
                    answers.add(client.callAsync(WireClient.payload(
                            "ConfigQueryRequest", "{\"dataId\":\"none\",\"group\":\"g\",\"tenant\":\"\"}")));
                }
                List<String> refused = new ArrayList<>();
                for (var answer : answers) {
                    JsonNode tree = WireClient.tree(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
                    if (tree.path("errorCode").asInt() == 503) {
                        refused.add(tree.path("message").asString());
                    }
                }
                assertThat(refused).isNotEmpty().allSatisfy(text -> assertThat(text)
                        .startsWith("Limit requests-per-second: ")
                        .endsWith("(expected: at most 400, cairn.limits.requests-per-second)"));
            });
        }
        await().until(() -> limit("requests-per-second").path("exceeded").asInt() > 0);
    }

    @Test
    void limitsTheConnectionsOfAnAddress() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            // A refused connection may be reset before its answer is read.
            await().ignoreExceptionsInstanceOf(IOException.class).untilAsserted(() -> {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), cairn.server().httpPort());
                sockets.add(socket);
                socket.setSoTimeout((int) PATIENCE.toMillis());
                socket.getOutputStream()
                        .write("GET /nacos/v1/console/server/state HTTP/1.1\r\nHost: x\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(read(socket.getInputStream()))
                        .startsWith("HTTP/1.1 503 Service Unavailable")
                        .contains("Limit connections-per-address: 41 (expected: at most 40, "
                                + "cairn.limits.connections-per-address)");
            });
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        // Closed connections do not count.
        await().ignoreExceptions()
                .until(() -> limit("connections-per-address").path("used").asInt() < 40);
    }

    @Test
    void closesASilentConnectionOverTheLimit() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 60; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), cairn.server().httpPort());
                sockets.add(socket);
            }
            await().until(() ->
                    sockets.stream().filter(LimitsIT::isClosedByTheServer).count() >= 20);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        await().ignoreExceptions()
                .until(() -> limit("connections-per-address").path("used").asInt() < 40);
    }

    private static boolean isClosedByTheServer(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static String read(InputStream in) throws IOException {
        byte[] first = new byte[1024];
        int read = in.read(first);
        return read < 0 ? "" : new String(first, 0, read, StandardCharsets.UTF_8);
    }

    @Test
    void refusesAndCountsATooLongBody() {
        HttpResponse<String> answer = cairn.send(
                HttpRequest.newBuilder(URI.create("http://" + cairn.server().address() + "/nacos/v1/cs/configs"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString("content=" + "x".repeat(2 * 1024 * 1024))));

        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(answer.body()).contains("limit body-bytes, cairn.config.max-content");
        assertThat(limit("body-bytes").path("exceeded").asInt()).isPositive();
    }

    @Test
    void theMetersShowAllLimits() {
        String meters = cairn.send(HttpRequest.newBuilder(cairn.uri("/actuator/prometheus")))
                .body();
        for (String name : List.of(
                "connections",
                "long-connections",
                "connections-per-address",
                "requests-per-second",
                "watches-per-connection",
                "instances-per-client",
                "body-bytes",
                "message-bytes",
                "head-seconds",
                "answer-seconds",
                "unread-answer-bytes",
                "mesh-clusters")) {
            assertThat(meters)
                    .contains("cairn_limit_used{limit=\"" + name + "\"}")
                    .contains("cairn_limit_max{limit=\"" + name + "\"}")
                    .contains("cairn_limit_exceeded_total{limit=\"" + name + "\"}");
            assertThat(limit(name).path("max").asLong()).isPositive();
        }
    }

    private static JsonNode limit(String name) {
        HttpResponse<String> answer =
                await().until(() -> cairn.get("/v3/admin/core/limits"), response -> response.statusCode() == 200);
        for (JsonNode limit : JSON.readTree(answer.body()).path("data")) {
            if (limit.path("name").asString().equals(name)) {
                return limit;
            }
        }
        throw new AssertionError(name + " is not in " + answer.body());
    }
}

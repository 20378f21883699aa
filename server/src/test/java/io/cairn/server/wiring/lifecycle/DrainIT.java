package io.cairn.server.wiring.lifecycle;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.testing.ReservedPorts;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class DrainIT {

    private static final String REGISTRATION = """
            {"namespace":"public","groupName":"DEFAULT_GROUP","serviceName":"orders","type":"registerInstance",
            "instance":{"ip":"10.0.0.5","port":8080,"ephemeral":true}}""";

    private final InspectableServer cairn = InspectableServer.temporary()
            .with("server.port", Integer.toString(ReservedPorts.ofServer()))
            .with("cairn.shutdown.drain", PATIENCE.multipliedBy(5).toSeconds() + "s");

    @TempDir
    Path home;

    @BeforeEach
    void startOne() throws IOException {
        cairn.beforeAll(null);
    }

    @AfterEach
    void stopIt() throws IOException {
        cairn.afterAll(null);
    }

    @Test
    void asksClientsToMoveAndServesThemUntilTheyHaveMoved() throws Exception {
        ServerLifecycle lifecycle = cairn.part(ServerLifecycle.class);
        StoreHealth health = cairn.part(StoreHealth.class);
        RegistryParts naming = cairn.part(RegistryParts.class);
        int httpPort = cairn.httpPort();
        int grpcPort = cairn.grpcPort();
        try (WireClient client = cairn.newClient()) {
            client.request("InstanceRequest", REGISTRATION);
            client.publish("drained", "a: 1");
            CompletableFuture<HttpResponse<String>> poll = parkedPoll(httpPort);
            assertThat(health.notReadyBecause()).isNull();
            assertThat(health.areAccepted()).isTrue();

            CompletableFuture<Void> stop = CompletableFuture.runAsync(lifecycle::stop);

            assertThat(client.nextPush().type()).isEqualTo("ConnectResetRequest");
            assertThat(health.notReadyBecause()).contains("draining");
            assertThat(health.areAccepted()).isFalse();
            assertThat(poll).succeedsWithin(PATIENCE).satisfies(answer -> {
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).isEmpty();
                assertThat(answer.headers().firstValue("Connection")).hasValue("close");
            });
            await().untilAsserted(() -> assertRefused(httpPort));
            assertRefused(grpcPort);
            // Nowhere else to go: the present connection serves, for reading and for writing.
            assertThat(client.query("drained").path("content").asString()).isEqualTo("a: 1");
            assertThat(client.publish("drained", "a: 2").path("success").asBoolean())
                    .isTrue();
            assertThat(stop).isNotDone();

            client.halfClose();

            assertThat(stop).succeedsWithin(PATIENCE);
            assertThat(naming.reads().instanceCount()).isOne();
        }
    }

    @Test
    void doesNotWaitWithoutClients() {
        ServerLifecycle lifecycle = cairn.part(ServerLifecycle.class);

        assertThat(CompletableFuture.runAsync(lifecycle::stop)).succeedsWithin(PATIENCE);
    }

    @Test
    void restoresTheInstancesOfADrainedClientAfterTheRestart() {
        try (CairnServer server = start("5m");
                WireClient client = WireClient.connect("127.0.0.1", server.grpcPort())) {
            client.setUp();
            client.request("InstanceRequest", REGISTRATION);
            CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);
            assertThat(client.nextPush().type()).isEqualTo("ConnectResetRequest");
            client.halfClose();
            assertThat(stop).succeedsWithin(PATIENCE);
        }
        try (CairnServer server = start("0s");
                WireClient client = WireClient.connect("127.0.0.1", server.grpcPort())) {
            client.setUp();
            assertThat(client.request(
                                    "ServiceQueryRequest",
                                    "{\"namespace\":\"public\",\"groupName\":\"DEFAULT_GROUP\",\"serviceName\":\"orders\"}")
                            .path("serviceInfo")
                            .path("hosts")
                            .size())
                    .isOne();
        }
    }

    /** A client that the drain was too short for reads, writes and registers until its connection ends; no answer is a refusal. */
    @Test
    void servesConnectedClientsUntilTheirConnectionEnds() {
        try (CairnServer server = start("100ms");
                WireClient client = WireClient.connect("127.0.0.1", server.grpcPort())) {
            client.setUp();
            List<JsonNode> answers = new ArrayList<>();
            useIt(client, answers);

            CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);
            assertThatThrownBy(() -> {
                        while (true) {
                            useIt(client, answers);
                        }
                    })
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            end -> assertThat(end.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));

            assertThat(answers)
                    .allSatisfy(answer -> assertThat(answer.path("success").asBoolean())
                            .as(answer.toString())
                            .isTrue());
            assertThat(stop).succeedsWithin(PATIENCE);
        }
    }

    private static void useIt(WireClient client, List<JsonNode> answers) {
        answers.add(client.publish("stopped", "a: " + answers.size()));
        answers.add(client.query("stopped"));
        answers.add(client.request("InstanceRequest", REGISTRATION));
    }

    private CairnServer start(String drain) {
        return CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("cairn.shutdown.drain", drain)
                .start();
    }

    private static CompletableFuture<HttpResponse<String>> parkedPoll(int httpPort) {
        HttpClient client = HttpClient.newHttpClient();
        CompletableFuture<HttpResponse<String>> poll = client.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + "/nacos/v1/cs/configs/listener"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .header("Long-Pulling-Timeout", "60000")
                        .POST(HttpRequest.BodyPublishers.ofString("Listening-Configs=none%02DEFAULT_GROUP%02%01"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        URI parked = URI.create("http://127.0.0.1:" + httpPort + "/nacos/actuator/metrics/cairn.config.long.polls");
        await().until(() -> client.send(HttpRequest.newBuilder(parked).build(), HttpResponse.BodyHandlers.ofString())
                .body()
                .contains("\"value\":1.0"));
        return poll;
    }

    private static void assertRefused(int port) {
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(IOException.class);
    }
}

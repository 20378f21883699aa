package io.cairn.server.connection;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.CairnServer;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawHttp2;
import io.cairn.testing.ReservedPorts;
import io.grpc.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ServerStopIT {

    @Test
    void aStopEndsStreamsAndParkedPollsAtOnceAndFreesThePorts() {
        int httpPort = ReservedPorts.ofServer();
        CairnServer server = CairnServer.builder()
                .temporary()
                .setting("server.port", Integer.toString(httpPort))
                .start();
        int grpcPort = server.grpcPort();
        List<WireClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 10; i++) {
                WireClient client = WireClient.connect("127.0.0.1", grpcPort).setUp();
                client.listen("stop-" + i, "");
                clients.add(client);
            }
            clients.get(0).publish("stop-0", "a: 1");
            CompletableFuture<HttpResponse<String>> poll = park(httpPort);

            assertThat(CompletableFuture.runAsync(server::close)).succeedsWithin(PATIENCE);
            for (WireClient client : clients) {
                assertThat(client.streamEnd())
                        .succeedsWithin(PATIENCE)
                        .extracting(Status::getCode)
                        .isEqualTo(Status.Code.UNAVAILABLE);
            }
            assertThat(poll)
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(IOException.class);
            assertRefused(httpPort);
            assertRefused(grpcPort);
            server.close(); // does nothing more
        } finally {
            server.close();
            clients.forEach(WireClient::close);
        }
    }

    @Test
    void clientThatReadsNothingDoesNotDelayTheStop() {
        CairnServer server = CairnServer.builder().temporary().start();
        try (RawHttp2 deaf = RawHttp2.connect(server.grpcPort(), 4_096).start().setUp(1)) {
            deaf.await(RawHttp2.DATA, PATIENCE);

            assertThat(CompletableFuture.runAsync(server::close)).succeedsWithin(PATIENCE);
        } finally {
            server.close();
        }
    }

    private static CompletableFuture<HttpResponse<String>> park(int httpPort) {
        return HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + httpPort + "/nacos/v1/cs/configs/listener"))
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .header("Long-Pulling-Timeout", "60000")
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        "Listening-Configs=none%02DEFAULT_GROUP%02%01"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static void assertRefused(int port) {
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(IOException.class);
    }
}

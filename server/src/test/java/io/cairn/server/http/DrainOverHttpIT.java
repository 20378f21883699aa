package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.http.RawHttp2.Answer;
import io.cairn.server.http.RawHttp2.Call;
import io.netty.handler.codec.http2.Http2Error;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Running HTTP requests when the server stops. */
class DrainOverHttpIT {

    private static final String LISTENER = "/nacos/v1/cs/configs/listener";
    private static final String EVENTS = "/nacos/v3/admin/core/events?namespaceId=public";

    private final CairnServer server = CairnServer.builder()
            .temporary()
            .setting("cairn.shutdown.drain", "5m")
            .start();

    @AfterEach
    void stopIt() {
        server.close();
    }

    @Test
    void finishesHttp2StreamsAndThenClosesTheConnection() throws Exception {
        try (RawHttp2 http = RawHttp2.connect(server)) {
            Call upload = http.open("POST", "/nacos/v1/cs/configs", false);
            upload.data("dataId=d&group=G&con".getBytes(StandardCharsets.UTF_8), false);
            Call parked = http.post(LISTENER, "Listening-Configs=d%02G%02%01", "long-pulling-timeout", "300000");
            awaitParked();

            CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);

            assertThat(http.goneAway()).isEqualTo(Http2Error.NO_ERROR.code());
            Answer released = parked.answer();
            assertThat(released.status()).isEqualTo(200);
            assertThat(released.text()).isEmpty();
            assertThat(stop).isNotDone();
            upload.data("tent=v".getBytes(StandardCharsets.UTF_8), true);
            assertThat(upload.answer().text()).isEqualTo("true");
            http.awaitClosed();
            assertThat(stop).succeedsWithin(PATIENCE);
        }
    }

    @Test
    void endsEventStreamsOfBothHttpVersionsInOrder() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        try (RawHttp2 http = RawHttp2.connect(server)) {
            HttpResponse<InputStream> first =
                    client.send(HttpRequest.newBuilder(uri(EVENTS)).build(), BodyHandlers.ofInputStream());
            Call second = http.get(EVENTS);
            assertThat(second.head().status()).hasToString("200");

            CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);

            // The stream is complete; a stream that was cut off would fail here.
            try (InputStream body = first.body()) {
                assertThat(body.readAllBytes()).asString().contains("event: hello");
            }
            assertThat(second.answer().text()).contains("event: hello");
            assertThat(http.goneAway()).isEqualTo(Http2Error.NO_ERROR.code());
            assertThat(stop).succeedsWithin(PATIENCE);
        }
    }

    @Test
    void aSlowReaderGetsTheWholeResponse() throws Exception {
        try (RawHttp slow = RawHttp.slow(server);
                RawHttp idle = RawHttp.connect(server);
                RawHttp2 http = RawHttp2.connect(server)) {
            String content = "x".repeat(9_000_000);
            http.post("/nacos/v1/cs/configs", "dataId=slow&group=G&content=" + content)
                    .answer();
            slow.request("GET", "/nacos/v1/cs/configs?dataId=slow&group=G");
            await().until(slow::hasAnswer);

            CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);

            assertThat(idle.isClosedByServer()).isTrue();
            http.awaitClosed();
            assertThat(slow.answer().text()).isEqualTo(content);
            assertThat(slow.isClosedByServer()).isTrue();
            assertThat(stop).succeedsWithin(PATIENCE);
        }
    }

    private URI uri(String path) {
        return URI.create("http://" + server.address() + path);
    }

    private void awaitParked() {
        URI parked = uri("/nacos/actuator/metrics/cairn.config.long.polls");
        HttpClient client = HttpClient.newHttpClient();
        await().until(() -> client.send(HttpRequest.newBuilder(parked).build(), BodyHandlers.ofString())
                .body()
                .contains("\"value\":1.0"));
    }
}

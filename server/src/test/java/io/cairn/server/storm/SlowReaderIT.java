package io.cairn.server.storm;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.PushesUnderWay;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.Memory;
import io.cairn.server.support.Sockets;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawHttp2;
import io.cairn.server.testing.RawSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that does not read costs a bounded amount of memory and disturbs nobody. */
@Tag("full")
class SlowReaderIT {

    private static final int KEYS = 200;
    private static final int CHANGES = 50_000;
    private static final int MAX_IN_FLIGHT = 256;
    private static final int MEGABYTE = 1024 * 1024;

    @RegisterExtension
    static final InspectableServer patient = InspectableServer.temporary()
            .with("cairn.connections.silence", "1h")
            .with("cairn.push.max-in-flight", Integer.toString(MAX_IN_FLIGHT))
            .with("cairn.grpc.max-unread-per-connection", "8MB");

    @RegisterExtension
    static final InspectableServer strict = InspectableServer.temporary()
            .with("cairn.connections.silence", "1s")
            .with("cairn.connections.detection-timeout", "8s");

    @RegisterExtension
    static final InspectableServer uncached = InspectableServer.temporary()
            .with("cairn.config.cache", "1B")
            .with("cairn.grpc.max-unread-per-connection", "8MB");

    @BeforeEach
    void awaitTheEndOfFormerConnections() {
        await().until(() -> registry(patient).size() + registry(strict).size() == 0);
    }

    @Test
    void listenerThatNeverReadsCostsOneEntryPerKeyAndDelaysNoOther() {
        try (RawHttp2 deaf = deafListener(patient);
                WireClient other = patient.newClient()) {
            ClientConnection connection = registry(patient).connections().stream()
                    .filter(each -> each.watches().size() == KEYS)
                    .findFirst()
                    .orElseThrow();
            listen(other);
            other.listen("probe", "");
            publish(other, 1_000, -1);
            awaitQuiet(other);
            Memory before = Memory.used();

            for (int published = 0; published < CHANGES; published += 1_250) {
                publish(other, 1_250, published);
                other.pushes().clear();
                assertThat(PushesUnderWay.to(connection)).isLessThanOrEqualTo(KEYS + MAX_IN_FLIGHT);
                awaitPushOf(other, "probe", "v" + published);
            }

            assertThat(PushesUnderWay.to(connection)).isGreaterThanOrEqualTo(KEYS);
            awaitQuiet(other);
            await().until(() -> Memory.used().megabytesMoreThan(before) < 10);
            assertThat(deaf.isBroken()).isFalse();
        }
    }

    @Test
    void closesConnectionOfAListenerThatNeverReads() {
        try (RawHttp2 deaf = deafListener(strict);
                WireClient other = strict.newClient()) {
            other.listen("probe", "");
            long start = System.nanoTime();
            await().until(() -> {
                publish(other, 500, System.nanoTime() - start);
                return registry(strict).size() == 1;
            });

            await().until(() -> Sockets.heldBy(strict.grpcPort()) <= 1);
            assertThat(other.streamEnd()).isNotDone();
            awaitPushOf(other, "probe", "still there");
        }
    }

    @Test
    void limitsUnreadLargeResponsesOverGrpc() {
        String content = "x".repeat(MEGABYTE);
        try (WireClient other = patient.newClient()) {
            other.publish("large", content);
            assertThat(other.query("large").path("content").asString()).hasSize(MEGABYTE);
            Memory before = Memory.used();
            Payload query =
                    WireClient.payload("ConfigQueryRequest", "{\"dataId\":\"large\",\"group\":\"DEFAULT_GROUP\"}");
            try (RawHttp2 deaf =
                    RawHttp2.connect(patient.grpcPort(), 4_096).start().setUp(1)) {
                await().until(() -> registry(patient).size() == 2);
                for (int i = 0; i < 1_990; i++) {
                    deaf.call(3 + 2 * i, query);
                }

                for (int i = 0; i < 20; i++) {
                    assertThat(other.query("large").path("content").asString()).hasSize(MEGABYTE);
                }
                await().until(() -> Memory.used().megabytesMoreThan(before) < 8 + 24);
            }
            await().until(() -> registry(patient).size() == 1);
            await().until(() -> Memory.used().megabytesMoreThan(before) < 12);
        }
    }

    @Test
    void aReaderOfLargeResponsesGetsAllOfThem() {
        try (WireClient client = patient.newClient()) {
            client.publish("large", "y".repeat(MEGABYTE));
            Payload query =
                    WireClient.payload("ConfigQueryRequest", "{\"dataId\":\"large\",\"group\":\"DEFAULT_GROUP\"}");
            for (int round = 0; round < 10; round++) {
                List<CompletableFuture<Payload>> answers = IntStream.range(0, 6)
                        .mapToObj(i -> client.callAsync(query))
                        .toList();
                for (CompletableFuture<Payload> answer : answers) {
                    assertThat(answer)
                            .succeedsWithin(PATIENCE)
                            .extracting(Payload::bodyLength)
                            .satisfies(length -> assertThat(length).isGreaterThan(MEGABYTE));
                }
            }
        }
    }

    @Test
    void cancelledCallsDoNotCountAsUnread() {
        // Nothing is kept in memory, so the answers come from another thread, often after the call was given up.
        try (WireClient client = uncached.newClient()) {
            client.publish("large", "z".repeat(MEGABYTE));
            Payload query =
                    WireClient.payload("ConfigQueryRequest", "{\"dataId\":\"large\",\"group\":\"DEFAULT_GROUP\"}");
            for (int i = 0; i < 200; i++) {
                client.callAndGiveUp(query);
            }

            await().untilAsserted(() ->
                    assertThat(client.query("large").path("content").asString()).hasSize(MEGABYTE));
        }
    }

    @Test
    void stopsReadingFromAnHttpClientWithUnreadResponses() throws Exception {
        String content = "x".repeat(MEGABYTE);
        try (WireClient other = patient.newClient();
                RawSocket deaf = RawSocket.connect(patient.httpPort(), 4_096)) {
            other.publish("large", content);
            other.query("large");
            Memory before = Memory.used();
            String request = "GET /nacos/v1/cs/configs?dataId=large&group=DEFAULT_GROUP HTTP/1.1\r\nHost: x\r\n\r\n";
            CompletableFuture<Boolean> sent = CompletableFuture.supplyAsync(() -> {
                for (int i = 0; i < 2_000 && deaf.send(request); i++) {}
                return true;
            });

            for (int i = 0; i < 20; i++) {
                assertThat(other.query("large").path("content").asString()).hasSize(MEGABYTE);
                assertThat(Memory.directBuffers() - before.directBytes()).isLessThan(16 * MEGABYTE);
            }
            await().until(() -> Memory.used().megabytesMoreThan(before) < 16);
            assertThat(deaf.read(2 * MEGABYTE))
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("xHTTP/1.1 200 OK\r\n");
            deaf.close();
            sent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Listens to all keys and never reads again; its socket takes a few kilobytes. */
    private static RawHttp2 deafListener(InspectableServer server) {
        RawHttp2 deaf = RawHttp2.connect(server.grpcPort(), 4_096).start().setUp(1);
        deaf.await(RawHttp2.DATA, PATIENCE);
        deaf.call(3, listenRequest());
        await().until(() -> registry(server).connections().stream()
                .anyMatch(connection -> connection.watches().size() == KEYS));
        return deaf;
    }

    private static void listen(WireClient client) {
        assertThat(WireClient.tree(client.call(listenRequest())).path("success").asBoolean())
                .isTrue();
    }

    private static Payload listenRequest() {
        return WireClient.payload(
                "ConfigBatchListenRequest",
                IntStream.range(0, KEYS)
                        .mapToObj(i -> "{\"dataId\":\"storm-" + i + "\",\"group\":\"DEFAULT_GROUP\",\"md5\":\"\"}")
                        .collect(Collectors.joining(",", "{\"listen\":true,\"configListenContexts\":[", "]}")));
    }

    /** That many changes, one key after the other, many under way at the same time; returns when all are committed. */
    private static void publish(WireClient writer, int changes, long from) {
        List<CompletableFuture<Payload>> published = new ArrayList<>();
        for (int i = 0; i < changes; i++) {
            published.add(writer.callAsync(WireClient.payload(
                    "ConfigPublishRequest",
                    "{\"dataId\":\"storm-" + i % KEYS + "\",\"group\":\"DEFAULT_GROUP\",\"content\":\"change " + from
                            + '.' + i + "\"}")));
        }
        for (CompletableFuture<Payload> each : published) {
            assertThat(each.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .join()
                            .bodyText())
                    .contains("\"success\":true");
        }
    }

    private static void awaitPushOf(WireClient listener, String dataId, String content) {
        listener.publish(dataId, content);
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            List<Payload> pushes = new ArrayList<>();
            listener.pushes().drainTo(pushes);
            return pushes.stream().anyMatch(push -> push.bodyText().contains('"' + dataId + '"'));
        });
    }

    private static void awaitQuiet(WireClient listener) {
        await().during(Duration.ofMillis(300)).until(() -> {
            boolean quiet = listener.pushes().isEmpty();
            listener.pushes().clear();
            return quiet;
        });
    }

    private static ConnectionRegistry registry(InspectableServer server) {
        return server.part(ConnectionRegistry.class);
    }
}

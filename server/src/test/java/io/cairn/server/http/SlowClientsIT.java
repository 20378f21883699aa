package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.http.RawHttp2.Call;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.testing.RawSocket;
import io.cairn.server.testing.TestAuthority;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Clients that begin and do not come to an end, on both ports. */
@Tag("full")
class SlowClientsIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String CONFIGS = "/nacos/v1/cs/configs";
    private static final String LIVENESS = "/nacos/v1/console/health/liveness";
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final TestAuthority AUTHORITY = new TestAuthority("ours");
    private static final Path FILES = files();

    /** The limit is short, so what comes in good order is sent in one piece here. */
    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.limits.head-time", "1s")
            .with("cairn.tls.certificate", FILES.resolve("server.pem").toString())
            .with("cairn.tls.private-key", FILES.resolve("server.key").toString());

    /** Judges bodies and readers every few seconds, although a connection may be idle for long. */
    @RegisterExtension
    static final CairnExtension judging = CairnExtension.temporary()
            .with("cairn.limits.answer-time", "1s")
            .timed(timings -> timings.withMaxHttpPatience(Duration.ofSeconds(1)));

    private static Path files() {
        try {
            Path folder = Files.createTempDirectory(
                    "cairn-slow-" + ProcessHandle.current().pid() + '-');
            AUTHORITY.server().write(folder.resolve("server.pem"), folder.resolve("server.key"));
            return folder;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ConditionFactory slowly() {
        return await().pollInterval(Duration.ofMillis(100));
    }

    private static int refused() {
        return figure(cairn, "head-seconds", "exceeded");
    }

    private static int tooSlow() {
        return figure(judging, "answer-seconds", "exceeded");
    }

    private static int figure(CairnExtension server, String name, String figure) {
        for (JsonNode limit :
                JSON.readTree(server.get("/v3/admin/core/limits").body()).path("data")) {
            if (limit.path("name").asString().equals(name)) {
                return limit.path(figure).asInt();
            }
        }
        throw new AssertionError("the limit is not listed");
    }

    /** Again on a machine so busy that a head of another connection took too long. */
    private static void repeatedly(ThrowingRunnable test) {
        await().atMost(PATIENCE.multipliedBy(2)).ignoreExceptions().untilAsserted(test);
    }

    @Test
    void aHeadThatTricklesIsAnswered408AndCounted() {
        repeatedly(this::tricklingHeadsAreAnswered408);
    }

    private void tricklingHeadsAreAnswered408() {
        int before = refused();
        try (RawHttp line = RawHttp.connect(cairn.server());
                RawHttp header = RawHttp.connect(cairn.server())) {
            for (RawHttp http : List.of(line, header)) {
                // It is not the first one of its connection, and an empty line before it is none.
                http.request("GET", LIVENESS).send("\r\n");
                assertThat(http.answer().text()).isEqualTo("OK");
            }
            line.send("G");
            header.send("GET " + LIVENESS + " HTTP/1.1\r\nHost: cairn\r\nX-Long: ");
            slowly().until(() -> {
                for (RawHttp http : List.of(line, header)) {
                    if (!http.hasAnswer()) {
                        http.send("x");
                    }
                }
                return line.hasAnswer() && header.hasAnswer();
            });

            for (RawHttp http : List.of(line, header)) {
                Answer answer = http.answer();
                assertThat(answer.status()).isEqualTo(408);
                assertThat(answer.text())
                        .contains("Limit head-seconds: 2 (expected: at most 1, cairn.limits.head-time)");
                assertThat(answer.header("Connection")).isEqualTo("close");
                assertThat(http.isClosedByServer()).isTrue();
            }
        }
        assertThat(refused()).isEqualTo(before + 2);
    }

    @Test
    void theHeadTimeoutDoesNotRunWhileAResponseIsPending() {
        repeatedly(this::headsMayTakeLongWhileAResponseIsPending);
    }

    private void headsMayTakeLongWhileAResponseIsPending() {
        int before = refused();
        String dataId = "waited-" + System.nanoTime();
        try (RawHttp poll = RawHttp.connect(cairn.server());
                RawHttp slow = RawHttp.connect(cairn.server())) {
            poll.form(
                            "POST",
                            CONFIGS + "/listener",
                            "Listening-Configs=" + dataId + "%02G%02%01",
                            "Long-Pulling-Timeout: 300000")
                    .send("GET ");
            slow.send("GET ");
            slowly().until(slow::hasAnswer);

            publish(cairn, dataId, 1);
            assertThat(poll.answer().text()).contains(dataId);
            poll.send(LIVENESS + " HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(poll.answer().text()).isEqualTo("OK");
        }
        assertThat(refused()).isEqualTo(before + 1);
    }

    @Test
    void anIdleConnectionMayStayOpen() {
        repeatedly(this::staysLongerThanAHeadMayTake);
    }

    private void staysLongerThanAHeadMayTake() throws Exception {
        HttpClient encrypted =
                HttpClient.newBuilder().sslContext(AUTHORITY.context(null)).build();
        HttpRequest liveness = HttpRequest.newBuilder(
                        URI.create("https://127.0.0.1:" + cairn.server().httpPort() + LIVENESS))
                .version(HttpClient.Version.HTTP_2)
                .build();
        try (RawHttp2 http2 = RawHttp2.connect(cairn.server());
                RawHttp http = RawHttp.connect(cairn.server());
                RawHttp slow = RawHttp.connect(cairn.server())) {
            assertThat(encrypted.send(liveness, BodyHandlers.ofString()).version())
                    .isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(http2.get(LIVENESS).answer().text()).isEqualTo("OK");
            http.request("GET", LIVENESS);
            assertThat(http.answer().text()).isEqualTo("OK");
            int before = refused();
            // By then all of them are older than a head may be.
            slow.send("GET ");
            slowly().until(slow::hasAnswer);

            assertThat(http2.get(LIVENESS).answer().text()).isEqualTo("OK");
            http.request("GET", LIVENESS);
            assertThat(http.answer().text()).isEqualTo("OK");
            assertThat(encrypted.send(liveness, BodyHandlers.ofString()).body()).isEqualTo("OK");
            assertThat(refused()).isEqualTo(before + 1);
        }
    }

    @Test
    void aHeadInManyPiecesIsAHead() {
        byte[] head = ("GET " + LIVENESS + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        // Again on a machine that was busy with something else.
        await().ignoreExceptions().untilAsserted(() -> {
            try (RawHttp http = RawHttp.connect(cairn.server())) {
                for (byte octet : head) {
                    http.send(new byte[] {octet});
                }
                assertThat(http.answer().text()).isEqualTo("OK");
            }
        });
    }

    @Test
    void anUnfinishedHttp2PrefaceOrHeadTimesOut() {
        byte[] settings = {0, 0, 0, 4, 0, 0, 0, 0, 0};
        // A header of 200 bytes on stream 1.
        byte[] head = {0, 0, (byte) 200, 1, 4, 0, 0, 0, 1};
        // Another one that is whole, but goes on in the next frame.
        byte[] part = {0, 0, 1, 1, 0, 0, 0, 0, 1, (byte) 0x82};
        byte[] next = {0, 0, (byte) 200, 9, 4, 0, 0, 0, 1};
        int before = refused();
        List<Begun> all = new ArrayList<>();
        for (int port : new int[] {cairn.server().httpPort(), cairn.server().grpcPort()}) {
            all.add(Begun.with(port, "PRI"));
            all.add(Begun.with(port, PREFACE));
            all.add(Begun.with(port, PREFACE, new byte[] {0, 0, 60, 4, 0, 0, 0, 0, 0}));
            all.add(Begun.with(port, PREFACE, settings, head));
            all.add(Begun.with(port, PREFACE, settings, part, next));
            all.add(Begun.continued(port, PREFACE, settings, part));
        }

        slowly().until(() -> {
            // Each is sent a byte, whatever the others say.
            all.forEach(Begun::trickle);
            return all.stream().allMatch(Begun::isOver);
        });
        all.forEach(Begun::awaitClosed);
        assertThat(refused()).isEqualTo(before + all.size());
    }

    /** A connection of HTTP/2 that begins and does not come to an end; where frames have begun, they come byte by byte. */
    private static final class Begun {

        private static final byte[] OCTET = {0};
        /** A whole frame, after which the head goes on. */
        private static final byte[] CONTINUATION = {0, 0, 0, 9, 0, 0, 0, 0, 1};
        /** A server counts small continuations, and ends the connection for their number. */
        private static final int LOOKS_BETWEEN_CONTINUATIONS = 4;

        private final RawSocket socket;
        private final byte[] piece;
        private int looks;
        private boolean isOver;

        private Begun(RawSocket socket, byte[] piece, String begun, byte[]... frames) {
            this.socket = socket;
            this.piece = piece;
            this.isOver = frames.length == 0;
            socket.send(begun);
            for (byte[] frame : frames) {
                socket.send(frame);
            }
        }

        static Begun with(int port, String begun, byte[]... frames) {
            return new Begun(RawSocket.connect(port), OCTET, begun, frames);
        }

        static Begun continued(int port, String begun, byte[]... frames) {
            return new Begun(RawSocket.connect(port), CONTINUATION, begun, frames);
        }

        void trickle() {
            if (!isOver && (piece.length == 1 || ++looks % LOOKS_BETWEEN_CONTINUATIONS == 0)) {
                isOver = !socket.send(piece);
            }
        }

        boolean isOver() {
            return isOver;
        }

        void awaitClosed() {
            socket.readAll(PATIENCE);
            socket.close();
        }
    }

    @Test
    void closesASilentConnectionToTheGrpcPort() {
        int before = refused();
        try (RawSocket socket = RawSocket.connect(cairn.server().grpcPort())) {
            assertThat(socket.readAll(PATIENCE)).isEmpty();
        }
        assertThat(refused()).isEqualTo(before + 1);
    }

    @Test
    void closesConnectionWithASlowHandshake() {
        int before = refused();
        // A record of 512 bytes of a handshake.
        byte[] record = {22, 3, 1, 2, 0, 1};
        try (RawSocket http = RawSocket.connect(cairn.server().httpPort());
                RawSocket grpc = RawSocket.connect(cairn.server().grpcPort())) {
            http.send(record);
            grpc.send(record);
            slowly().until(() -> !http.send(new byte[1]) & !grpc.send(new byte[1]));
        }
        assertThat(refused()).isGreaterThanOrEqualTo(before + 2);
    }

    @Test
    void anAnswerThatIsReadByATrickleEndsAndEventsGoOn() {
        publish(judging, "trickle", 1_000_000);
        int before = tooSlow();
        try (RawHttp events = RawHttp.connect(judging.server());
                RawHttp2 http = new RawHttp2(
                        judging.server(), Http2Settings.defaultSettings().initialWindowSize(1))) {
            events.request("GET", "/nacos/v3/admin/core/events?namespaceId=public");
            Call call = http.get(CONFIGS + "?dataId=trickle&group=G");

            assertThat(call.head().status()).hasToString("200");
            assertThat(call.reset()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
            assertThat(tooSlow()).isEqualTo(before + 1);
            await().until(() -> figure(judging, "unread-answer-bytes", "used") == 0);
            // One stream of many: the others go on.
            assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
            publish(judging, "told", 1);
            StringBuilder told = new StringBuilder();
            slowly().until(() -> {
                while (events.hasAnswer()) {
                    told.append(events.read(1));
                }
                return told.indexOf("\"dataId\":\"told\"") > 0;
            });
        }
    }

    @Test
    void anAnswerThatIsReadTooSlowlyOverHttp1Ends() {
        int length = 9_000_000;
        publish(judging, "slow", length);
        int before = tooSlow();
        try (RawHttp http = RawHttp.slow(judging.server())) {
            http.request("GET", CONFIGS + "?dataId=slow&group=G");
            AtomicLong read = new AtomicLong();
            slowly().until(() -> {
                read.addAndGet(http.read(20_000).length());
                return tooSlow() > before;
            });
            // It ends half way: what is on its way still comes, and nothing else.
            assertThat(read.get() + http.drain()).isLessThan(length);
        }
    }

    private static void publish(CairnExtension server, String dataId, int length) {
        assertThat(server.post("/v1/cs/configs", Map.of("dataId", dataId, "group", "G", "content", "x".repeat(length)))
                        .body())
                .isEqualTo("true");
    }

    @Test
    void aSlowSmallBodyTimesOut() {
        try (RawHttp2 http2 = RawHttp2.connect(judging.server());
                RawHttp http = RawHttp.connect(judging.server())) {
            http.send("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nContent-Length: 10000\r\n\r\nx");
            Call call = http2.open("POST", CONFIGS, false, "content-length", "10000")
                    .data(new byte[1], false);
            slowly().until(() -> {
                http.send("x");
                if (!call.isAnswered()) {
                    call.data(new byte[1], false);
                }
                return call.isAnswered() && http.hasAnswer();
            });

            Answer answer = http.answer();
            assertThat(answer.status()).isEqualTo(408);
            assertThat(answer.text()).contains("did not come within 2 seconds");
            assertThat(call.answer().status()).isEqualTo(408);
            assertThat(http2.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
    }
}

package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.RawHttp2.Answer;
import io.cairn.server.http.RawHttp2.Call;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Gauge;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 on the HTTP port: the same requests as over HTTP/1.1, and what the protocol itself can do to a server. */
class Http2IT {

    private static final String CONFIGS = "/nacos/v1/cs/configs";
    private static final String LIVENESS = "/nacos/v1/console/health/liveness";
    private static final String LISTENER = "/nacos/v1/cs/configs/listener";
    private static final int LONGEST_HEAD = 512 * 1024;
    private static final int LARGEST_BODY = 3 * 1024 * 1024 + 1024 * 1024;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.config.max-content", "1MB")
            .with("cairn.http.max-streams-per-connection", "120")
            .with("cairn.http.upgrade-to-http2", "true");

    private final Gauge polls = new Gauge(cairn, "cairn.config.long.polls");

    @AfterEach
    void noPollIsLeftBehind() {
        polls.awaitValue(0);
    }

    @Test
    void answersAreThoseOfHttp1ButForTheConnection() throws Exception {
        String path = CONFIGS + "?dataId=same&group=G";
        cairn.post("/v1/cs/configs", Map.of("dataId", "same", "group", "G", "content", "a: ä"));
        for (String asked : List.of(
                path, LIVENESS, CONFIGS + "?dataId=absent&group=G", "/nacos/v1/absent", "/nacos/v2/cs/config", "/x")) {
            HttpResponse<String> expected = http1(asked);
            try (RawHttp2 http = connect()) {
                Answer answer = http.get(asked).answer();
                assertThat(answer.status()).as(asked).isEqualTo(expected.statusCode());
                assertThat(withoutTime(answer.text())).isEqualTo(withoutTime(expected.body()));
                expected.headers().map().forEach((name, values) -> {
                    if (!name.equals("date")) {
                        assertThat(answer.header(name)).as(name).isEqualTo(values.get(0));
                    }
                });
                assertThat(answer.header("date")).endsWith("GMT");
            }
        }
    }

    @Test
    void requestsOfOneConnectionDoNotWaitForEachOther() {
        try (RawHttp2 http = connect()) {
            Call parked = park(http, "independent");
            for (int i = 0; i < 300; i++) {
                assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
            }
            assertThat(parked.isAnswered()).isFalse();

            assertThat(http.post(CONFIGS, "dataId=independent&group=G&content=v1")
                            .answer()
                            .text())
                    .isEqualTo("true");
            assertThat(parked.answer().text()).isEqualTo("independent%02G%01\n");
        }
    }

    @Test
    void manyRequestsAtOnceAreAllAnswered() {
        try (RawHttp2 http = connect()) {
            for (int round = 0; round < 5; round++) {
                List<Call> calls = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    calls.add(
                            i % 2 == 0
                                    ? http.get(LIVENESS)
                                    : http.post(CONFIGS, "dataId=many-" + i + "&group=G&content=v" + round));
                }
                for (int i = 0; i < 100; i++) {
                    assertThat(calls.get(i).answer().text()).isEqualTo(i % 2 == 0 ? "OK" : "true");
                }
            }
        }
    }

    @Test
    void aLargeContentComesAndGoesInManyFrames() {
        String content = "0123456789abcdef".repeat(1024 * 1024 / 16);
        try (RawHttp2 http = connect()) {
            assertThat(http.post(CONFIGS, "dataId=large&group=G&content=" + content)
                            .answer()
                            .text())
                    .isEqualTo("true");
            assertThat(http.get(CONFIGS + "?dataId=large&group=G").answer().text())
                    .isEqualTo(content);
        }
    }

    @Test
    void anAnswerToHeadHasTheLengthAndNoBody() {
        cairn.post("/v1/cs/configs", Map.of("dataId", "head", "group", "G", "content", "12345"));
        try (RawHttp2 http = connect()) {
            Answer answer =
                    http.open("HEAD", CONFIGS + "?dataId=head&group=G", true).answer();
            assertThat(answer.header("content-length")).isEqualTo("5");
            assertThat(answer.text()).isEmpty();
        }
    }

    @Test
    void answersExpect100Continue() {
        try (RawHttp2 http = connect()) {
            Call call = http.open("POST", CONFIGS, false, "expect", "100-continue");
            assertThat(call.informed().status()).hasToString("100");
            call.data("dataId=continued&group=G&content=v".getBytes(StandardCharsets.UTF_8), true);
            assertThat(call.answer().text()).isEqualTo("true");
        }
    }

    @Test
    void aConfigurationExportComesPieceByPiece() {
        cairn.post("/v1/cs/configs", Map.of("dataId", "exported", "group", "G", "content", "v"));
        try (RawHttp2 http = connect()) {
            Answer answer = http.get(CONFIGS + "?export=true&group=G&tenant=&appName=&ids=")
                    .answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).startsWith("PK");
        }
    }

    @Test
    void theServerSendsItsSettings() {
        try (RawHttp2 http = connect()) {
            Http2Settings settings = http.settings();
            assertThat(settings.maxConcurrentStreams()).isEqualTo(120);
            assertThat(settings.maxHeaderListSize()).isEqualTo(LONGEST_HEAD);
        }
    }

    @Test
    void refusesATooLargeBodyWithAndWithoutContentLength() {
        try (RawHttp2 http = connect()) {
            Call said = http.open("POST", CONFIGS, false, "content-length", Integer.toString(LARGEST_BODY + 1));
            assertThat(said.answer().status()).isEqualTo(413);

            Call unsaid = http.open("POST", CONFIGS, false);
            byte[] piece = new byte[16 * 1024];
            for (int sent = 0; sent <= LARGEST_BODY && !unsaid.isAnswered(); sent += piece.length) {
                unsaid.data(piece, false);
            }
            assertThat(unsaid.answer().status()).isEqualTo(413);
            assertThat(unsaid.answer().text()).contains("The body is larger than " + LARGEST_BODY + " bytes");

            assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void aPathThatIsTooLongIsRefusedAndALongOneIsRead() {
        try (RawHttp2 http = connect()) {
            http.settings();
            String start = LIVENESS + "?x=";
            assertThat(http.get(start + "x".repeat(LONGEST_HEAD - 1_000))
                            .answer()
                            .text())
                    .isEqualTo("OK");
            assertThat(http.get(start + "x".repeat(LONGEST_HEAD)).answer().status())
                    .isEqualTo(431);
        }
    }

    @Test
    void doesNotRunARefusedRequestWhenTrailersFollow() throws Exception {
        for (int i = 0; i < 10; i++) {
            try (RawHttp2 http = connect()) {
                String key = "dataId=trailers" + i + "&group=G";
                http.settings();
                assertThat(http.open("POST", CONFIGS + '?' + key + "&content=c&x=" + "x".repeat(LONGEST_HEAD), false)
                                .trailers()
                                .answer()
                                .status())
                        .isEqualTo(431);
                assertThat(http.get(CONFIGS + '?' + key).answer().status()).isEqualTo(404);
            }
        }
    }

    @Test
    void refusesTooLongHeaders() {
        try (RawHttp2 http = connect()) {
            http.settings();
            assertThat(http.get(LIVENESS, "x-long", "x".repeat(LONGEST_HEAD))
                            .answer()
                            .status())
                    .isEqualTo(431);
            assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void aRequestWithoutAPathEndsItsStreamAlone() {
        try (RawHttp2 http = connect()) {
            assertThat(http.open("GET", null, true).reset()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
            assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void aCancelledPollIsForgotten() {
        try (RawHttp2 http = connect()) {
            Call parked = park(http, "cancelled");
            polls.awaitValue(1);
            parked.cancel();
            polls.awaitValue(0);
            assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void pollsGoWithTheirConnection() {
        try (RawHttp2 http = connect()) {
            for (int i = 0; i < 50; i++) {
                park(http, "gone-" + i);
            }
            polls.awaitValue(50);
        }
        polls.awaitValue(0);
    }

    @Test
    void closesAConnectionThatKeepsResettingItsStreams() {
        try (RawHttp2 http = connect()) {
            http.settings();
            // One more than are allowed, and nothing after it: what is left unread when the server closes makes the
            // transport throw away its last words.
            for (int i = 0; i <= 500; i++) {
                http.open("POST", CONFIGS, false).cancel();
            }
            assertThat(http.goneAway()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
            http.awaitClosed();
        }
        assertThat(cairn.get("/v1/console/health/liveness").body()).isEqualTo("OK");
    }

    @Test
    void closesAConnectionWithEndlessContinuationFrames() {
        ByteArrayOutputStream pieces = new ByteArrayOutputStream();
        pieces.writeBytes(frame(1, 0, 1, (byte) 0x82));
        for (int i = 0; i < 30; i++) {
            pieces.writeBytes(frame(9, 0, 1, (byte) 0x84));
        }
        try (RawHttp socket = RawHttp.connect(cairn.server())) {
            // At once, for the server closes before the last of them.
            socket.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").send(frame(4, 0, 0)).send(pieces.toByteArray());
            // Returns when the server has closed the connection.
            socket.drain();
        }
        assertThat(cairn.get("/v1/console/health/liveness").body()).isEqualTo("OK");
    }

    /** Each of these is answered, and none of them is a request that a limit would count. */
    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void closesAConnectionWithEndlessPingsOrSettings(int type) {
        byte[] one = frame(type, 0, 0, new byte[type == 6 ? 8 : 0]);
        try (RawHttp socket = RawHttp.connect(cairn.server())) {
            socket.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").send(frame(4, 0, 0));
            ByteArrayOutputStream many = new ByteArrayOutputStream();
            for (int i = 1; i < FrameFlood.MAX_FRAMES; i++) {
                many.writeBytes(one);
            }
            socket.send(many.toByteArray());
            // Returns when the server has closed the connection.
            socket.drain();
        }
        assertThat(cairn.get("/v1/console/health/liveness").body()).isEqualTo("OK");
    }

    @Test
    void aStreamThatIsNotReadDelaysNoOther() {
        String content = "x".repeat(1024 * 1024);
        cairn.post("/v1/cs/configs", Map.of("dataId", "unread", "group", "G", "content", content));
        Http2Settings closed = Http2Settings.defaultSettings().initialWindowSize(0);
        try (RawHttp2 unread = new RawHttp2(cairn.server(), closed);
                RawHttp2 other = connect()) {
            List<Call> calls = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                calls.add(unread.get(CONFIGS + "?dataId=unread&group=G"));
            }
            assertThat(calls.get(0).head().status()).hasToString("200");
            assertThat(other.get(CONFIGS + "?dataId=unread&group=G").answer().text())
                    .isEqualTo(content);
            assertThat(calls).noneMatch(Call::isAnswered);
        }
    }

    @Test
    void aConnectionThatBeginsLikeHttp2AndIsNotIsAnsweredInHttp1() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            assertThat(http.send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n").answer().status())
                    .isNotEqualTo(200);
        }
    }

    /** The setting of earlier versions is on here, and has no effect. */
    @Test
    void javasOwnClientFallsBackToHttp1() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        HttpRequest publish = HttpRequest.newBuilder(cairn.uri("/v1/cs/configs"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("dataId=upgraded&group=G&content=v1"))
                .build();
        HttpResponse<String> first = client.send(publish, BodyHandlers.ofString());
        assertThat(first.body()).isEqualTo("true");
        assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_1_1);

        HttpRequest read = HttpRequest.newBuilder(cairn.uri("/v1/cs/configs?dataId=upgraded&group=G"))
                .build();
        HttpResponse<String> second = client.send(read, BodyHandlers.ofString());
        assertThat(second.body()).isEqualTo("v1");
        assertThat(second.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"AAMAAABkAAQAAP__", "!!", "AAMAAABkAAQ", "AAMAAABkAAQAAP__\r\nHTTP2-Settings: AAMAAABk"})
    void anUpgradeRequestStaysInHttp1(String settings) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            for (int i = 0; i < 2; i++) {
                RawHttp.Answer answer = http.request(
                                "GET",
                                LIVENESS,
                                "Connection: Upgrade, HTTP2-Settings",
                                "Upgrade: h2c",
                                "HTTP2-Settings: " + settings)
                        .answer();
                assertThat(answer.statusLine()).isEqualTo("HTTP/1.1 200 OK");
                assertThat(answer.text()).isEqualTo("OK");
            }
        }
    }

    private static RawHttp2 connect() {
        return RawHttp2.connect(cairn.server());
    }

    private static HttpResponse<String> http1(String path) throws IOException, InterruptedException {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return client.send(HttpRequest.newBuilder(cairn.uri("").resolve(path)).build(), BodyHandlers.ofString());
    }

    private static Call park(RawHttp2 http, String dataId) {
        return http.post(LISTENER, "Listening-Configs=" + dataId + "%02G%02%01", "long-pulling-timeout", "30000");
    }

    private static String withoutTime(String body) {
        return body.replaceAll("\"timestamp\":\"[^\"]*\"", "");
    }

    private static byte[] frame(int type, int flags, int stream, byte... payload) {
        byte[] frame = new byte[9 + payload.length];
        frame[2] = (byte) payload.length;
        frame[3] = (byte) type;
        frame[4] = (byte) flags;
        frame[8] = (byte) stream;
        System.arraycopy(payload, 0, frame, 9, payload.length);
        return frame;
    }
}

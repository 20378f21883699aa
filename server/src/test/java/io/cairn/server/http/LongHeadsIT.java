package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.http.RawHttp2.Call;
import io.cairn.server.support.CairnExtension;
import io.netty.handler.codec.http2.Http2Error;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests whose content stands in the query, as some clients send each publish. */
@Tag("full")
class LongHeadsIT {

    private static final String CONFIGS = "/nacos/v1/cs/configs";
    private static final String LIVENESS = "/nacos/v1/console/health/liveness";
    private static final int LIMIT = 512 * 1024;
    /** As many connections as there are at most until the memory for long heads is taken. */
    private static final int MANY = 400;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    /** With such a limit, few heads take all the memory that there is for them. */
    @RegisterExtension
    static final CairnExtension generous =
            CairnExtension.temporary().with("cairn.limits.head-bytes", "8MB").with("cairn.limits.head-time", "10m");

    @Test
    void aContentOf500000CharactersInTheQueryIsStored() {
        String content = "x".repeat(500_000);
        try (RawHttp http = connect()) {
            Answer answer = http.request("POST", publish("long1", content)).answer();

            assertThat(answer.text()).isEqualTo("true");
            // The connection would keep the memory of its longest request.
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(http.isClosedByServer()).isTrue();
        }
        assertThat(stored("long1")).isEqualTo(content);
        try (RawHttp2 http = RawHttp2.connect(cairn.server())) {
            assertThat(http.open("POST", publish("long2", content), true)
                            .answer()
                            .text())
                    .isEqualTo("true");
            assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
        assertThat(stored("long2")).isEqualTo(content);
    }

    @Test
    void tensOfThousandsOfChineseCharactersInTheQueryAreStored() {
        String content = "配置".repeat(20_000);
        String encoded = URLEncoder.encode(content, StandardCharsets.UTF_8);
        try (RawHttp http = connect();
                RawHttp2 http2 = RawHttp2.connect(cairn.server())) {
            assertThat(http.request("POST", publish("chinese1", encoded))
                            .answer()
                            .text())
                    .isEqualTo("true");
            assertThat(http2.open("POST", publish("chinese2", encoded), true)
                            .answer()
                            .text())
                    .isEqualTo("true");
        }
        assertThat(stored("chinese1")).isEqualTo(content);
        assertThat(stored("chinese2")).isEqualTo(content);
    }

    @Test
    void aConnectionStaysAfterAHeadOfUpTo64Kilobytes() {
        try (RawHttp http = connect()) {
            for (int i = 0; i < 2; i++) {
                assertThat(http.request("POST", publish("short", "x".repeat(60_000)))
                                .answer()
                                .text())
                        .isEqualTo("true");
            }
        }
    }

    @Test
    void longHeadersAreTakenAsLongAsALongLine() {
        try (RawHttp http = connect();
                RawHttp2 http2 = RawHttp2.connect(cairn.server())) {
            String half = "y".repeat(LIMIT / 2 - 100);
            assertThat(http.request("GET", LIVENESS, "X: " + half, "Y: " + half)
                            .answer()
                            .text())
                    .isEqualTo("OK");
            assertThat(http2.get(LIVENESS, "x", half, "y", half.substring(200))
                            .answer()
                            .text())
                    .isEqualTo("OK");
        }
    }

    @Test
    void lineAndHeadersTogetherAreLimited() {
        String most = "x".repeat(LIMIT / 2);
        try (RawHttp http = connect()) {
            Answer answer =
                    http.request("GET", LIVENESS + "?x=" + most, "X: " + most).answer();

            assertThat(answer.status()).isEqualTo(431);
            assertThat(answer.text())
                    .contains("The request line and the headers are longer than " + LIMIT
                            + " bytes (limit head-bytes, cairn.limits.head-bytes); send what is long in the body");
            assertThat(http.isClosedByServer()).isTrue();
        }
        try (RawHttp2 http = RawHttp2.connect(cairn.server())) {
            http.settings();
            assertThat(http.get(LIVENESS + "?x=" + most, "x", most).answer().status())
                    .isEqualTo(431);
            assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
        assertThat(cairn.get("/v3/admin/core/limits").body()).containsPattern("\"head-bytes\"[^}]*\"exceeded\":[1-9]");
    }

    @Test
    void aRequestThatIsRefusedStoresNothing() {
        try (RawHttp http = connect()) {
            assertThat(http.request("POST", publish("refused", "x".repeat(LIMIT)))
                            .answer()
                            .status())
                    .isEqualTo(414);
        }
        assertThat(cairn.get("/v1/cs/configs?dataId=refused&group=G").statusCode())
                .isEqualTo(404);
    }

    @Test
    void headsThatDoNotEndTakeALimitedAmountOfMemory() {
        assertManyAreRefused("GET " + LIVENESS + "?x=" + "x".repeat(100_000));
    }

    @Test
    void headersThatDoNotEndTakeALimitedAmountOfMemory() {
        assertManyAreRefused(
                "GET " + LIVENESS + " HTTP/1.1\r\nHost: cairn\r\n" + ("X: " + "x".repeat(997) + "\r\n").repeat(100));
    }

    @Test
    void linesBetweenChunksTakeALimitedAmountOfMemory() {
        assertManyAreRefused("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n1;x="
                + "x".repeat(100_000));
    }

    private static void assertManyAreRefused(String beginning) {
        List<RawHttp> opened = new ArrayList<>();
        try {
            while (opened.stream().noneMatch(RawHttp::hasAnswer)) {
                assertThat(opened).hasSizeLessThan(MANY);
                opened.add(RawHttp.connect(generous.server()).send(beginning));
            }
            RawHttp refused =
                    opened.stream().filter(RawHttp::hasAnswer).findFirst().orElseThrow();
            Answer answer = refused.answer();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text()).contains("Too many large requests are under way; try again shortly");
            // The rest of what was refused is read and thrown away.
            refused.send("x".repeat(100_000));
            try (RawHttp small = RawHttp.connect(generous.server())) {
                assertThat(small.request("GET", LIVENESS).answer().text()).isEqualTo("OK");
            }
        } finally {
            opened.forEach(RawHttp::close);
        }
        assertTakenAgain();
    }

    @Test
    void longPathsOfOpenStreamsTakeALimitedAmountOfMemory() {
        assertManyStreamsAreRefused(1, http -> http.open("POST", publish("parked", "x".repeat(100_000)), false));
    }

    @Test
    void longHeadersOfOpenStreamsTakeALimitedAmountOfMemory() {
        String value = "x".repeat(100_000);
        assertManyStreamsAreRefused(1, http -> http.open("POST", CONFIGS, false, "x", value));
    }

    @Test
    void shortHeadsOfOpenStreamsTakeALimitedAmountOfMemory() {
        String value = "x".repeat(60_000);
        assertManyStreamsAreRefused(50, http -> http.open("POST", CONFIGS, false, "x", value));
    }

    private static void assertManyStreamsAreRefused(int ofAConnection, Function<RawHttp2, Call> open) {
        List<RawHttp2> opened = new ArrayList<>();
        try {
            List<Call> parked = new ArrayList<>();
            while (parked.stream().noneMatch(Call::isAnswered)) {
                assertThat(opened).hasSizeLessThan(MANY);
                RawHttp2 http = RawHttp2.connect(generous.server());
                opened.add(http);
                for (int i = 0; i < ofAConnection; i++) {
                    parked.add(open.apply(http));
                }
                // Its head was read when this is answered, or refused.
                assertThat(http.get(LIVENESS).answer().text()).isEqualTo("OK");
            }
            Call refused = parked.stream().filter(Call::isAnswered).findFirst().orElseThrow();
            assertThat(refused.answer().status()).isEqualTo(503);
            assertThat(refused.reset()).isEqualTo(Http2Error.NO_ERROR.code());
        } finally {
            opened.forEach(RawHttp2::close);
        }
        assertTakenAgain();
    }

    @Test
    void continuedHeadersUseLimitedMemory() throws Exception {
        List<RawHttp> opened = new ArrayList<>();
        ExecutorService readers = Executors.newCachedThreadPool();
        try {
            // Three times the limit is counted for each, of a quarter of the heap.
            int room = (int) (Runtime.getRuntime().maxMemory() / 4 / (3L * 8 * 1024 * 1024));
            for (int opening = 0; opening < room + 5; opening++) {
                RawHttp http = RawHttp.connect(generous.server())
                        .send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                        .send(frame(0x4, 0, 0))
                        .send(frame(0x1, 1, 16_384));
                for (int i = 0; i < 5; i++) {
                    http.send(frame(0x9, 1, 16_384));
                }
                opened.add(http);
            }
            assertThat(CompletableFuture.anyOf(opened.stream()
                                    .map(http -> CompletableFuture.supplyAsync(http::drain, readers))
                                    .toArray(CompletableFuture[]::new))
                            .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("bytes before one of them was closed")
                    .isInstanceOf(Long.class);
        } finally {
            opened.forEach(RawHttp::close);
            readers.shutdown();
        }
        assertTakenAgain();
    }

    /** A frame of HTTP/2 without flags: its headers go on. */
    private static byte[] frame(int type, int stream, int length) {
        return ByteBuffer.allocate(9 + length)
                .putInt(length << 8 | type)
                .put((byte) 0)
                .putInt(stream)
                .array();
    }

    /** Those whose connections have ended have given back what they took. */
    private static void assertTakenAgain() {
        await().untilAsserted(() -> assertThat(generous.post(
                                "/v1/cs/configs",
                                Map.of("dataId", "large", "group", "G", "content", "x".repeat(9_000_000)))
                        .body())
                .isEqualTo("true"));
        List<RawHttp> again = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                again.add(RawHttp.connect(generous.server()).request("GET", LIVENESS + "?x=" + "x".repeat(200_000)));
            }
            again.forEach(http -> assertThat(http.answer().text()).isEqualTo("OK"));
        } finally {
            again.forEach(RawHttp::close);
        }
    }

    private static RawHttp connect() {
        return RawHttp.connect(cairn.server());
    }

    private static String publish(String dataId, String content) {
        return CONFIGS + "?dataId=" + dataId + "&group=G&content=" + content;
    }

    private static String stored(String dataId) {
        return cairn.get("/v1/cs/configs?group=G&dataId=" + dataId).body();
    }
}

package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.http.RawHttp2.Call;
import io.cairn.server.support.CairnExtension;
import io.netty.util.internal.PlatformDependent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server memory used by clients that stop sending or reading. */
@Tag("full")
class HttpMemoryIT {

    private static final String CONFIGS = "/nacos/v1/cs/configs";
    private static final String LIVENESS = "/nacos/v1/console/health/liveness";
    private static final int LARGE = 9_000_000;
    /** Large enough to count in the memory budget, which must have room again a second after a connection is idle. */
    private static final int COUNTED = 70_000;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary().with("cairn.http.idle", "4s");

    /** Only for tests of idle connections. */
    @RegisterExtension
    static final CairnExtension impatient = CairnExtension.temporary().with("cairn.http.idle", "2s");

    @Test
    void unreadLargeResponseUsesLittleMemory() {
        publish("unread", LARGE);
        long before = PlatformDependent.usedDirectMemory();
        List<RawHttp> readers = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                readers.add(RawHttp.slow(cairn.server()).request("GET", content("unread")));
            }
            for (RawHttp reader : readers) {
                assertThat(reader.read(8)).isEqualTo("HTTP/1.1");
            }

            assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(100_000_000);
            assertThat(cairn.get("/v1/console/health/liveness").body()).isEqualTo("OK");
        } finally {
            readers.forEach(RawHttp::close);
        }
    }

    @Test
    void aLargeResponseArrivesCompletelyAndInOrder() {
        publish("turn", LARGE);
        try (RawHttp http = RawHttp.slow(cairn.server())) {
            http.send(("GET " + content("turn") + " HTTP/1.1\r\nHost: cairn\r\n\r\n").repeat(2) + "HEAD "
                    + content("turn")
                    + " HTTP/1.1\r\nHost: cairn\r\n\r\nGET " + LIVENESS + " HTTP/1.1\r\nHost: cairn\r\n\r\nGET "
                    + content("turn")
                    + " HTTP/1.1\r\nHost: cairn\r\nConnection: close\r\n\r\n");

            assertThat(http.answer().text()).isEqualTo("x".repeat(LARGE));
            assertThat(http.answer().text()).isEqualTo("x".repeat(LARGE));
            assertThat(http.answerWithoutBody().header("Content-Length")).isEqualTo(String.valueOf(LARGE));
            assertThat(http.answer().text()).isEqualTo("OK");
            assertThat(http.answer().text()).isEqualTo("x".repeat(LARGE));
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @Test
    void closesConnectionThatStopsReading() {
        publish(impatient, "left", LARGE);
        try (RawHttp http = RawHttp.slow(impatient.server()).request("GET", content("left"))) {
            assertThat(http.read(8)).as("its answer has begun").isEqualTo("HTTP/1.1");
            // The connection that reads the meter stays open.
            await().until(() -> meter(impatient, "cairn.http.connections") <= 1);

            assertThat(http.drain()).isLessThan(LARGE);
        }
    }

    @Test
    void anUnfinishedBodyOverHttp2EndsItsConnection() {
        try (RawHttp2 http = RawHttp2.connect(impatient.server())) {
            for (int i = 0; i < 20; i++) {
                http.open("POST", CONFIGS, false, "content-length", "10000000").data(new byte[COUNTED], false);
            }
            http.awaitClosed();
        }
        publish(impatient, "after-the-stalled", 100_000);
    }

    @Test
    void aSlowBodyTimesOut() {
        try (RawHttp2 http2 = RawHttp2.connect(cairn.server());
                RawHttp http = RawHttp.connect(cairn.server())) {
            http.send("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nContent-Length: " + (COUNTED + 10_000)
                    + "\r\n\r\n" + "x".repeat(COUNTED));
            Call call = http2.open("POST", CONFIGS, false, "content-length", String.valueOf(COUNTED + 10_000))
                    .data(new byte[COUNTED], false);
            await().pollInterval(Duration.ofMillis(200)).until(() -> {
                http.send("x");
                if (!call.isAnswered()) {
                    call.data(new byte[1], false);
                }
                return call.isAnswered() && http.hasAnswer();
            });

            Answer answer = http.answer();
            assertThat(answer.status()).isEqualTo(408);
            assertThat(answer.text()).contains("did not come within 5 seconds");
            assertThat(call.answer().status()).isEqualTo(408);
            // The timeout ends one stream; the other streams of the connection continue.
            assertThat(http2.get(LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void parkedPollsReleaseTheirMemory() {
        String list = "Listening-Configs=parked%02G%02%01&rest=" + "x".repeat(10_000_000);
        List<RawHttp> polls = new ArrayList<>();
        List<RawHttp2> others = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                int parked = 2 * i + 1;
                polls.add(RawHttp.connect(cairn.server())
                        .form("POST", CONFIGS + "/listener", list, "Long-Pulling-Timeout: 300000"));
                await().until(() -> parkedPolls() == parked);
                others.add(RawHttp2.connect(cairn.server()));
                others.get(i).post(CONFIGS + "/listener", list, "long-pulling-timeout", "300000");
                await().until(() -> parkedPolls() == parked + 1);
            }

            publish("parked", 100_000);

            for (RawHttp poll : polls) {
                assertThat(poll.answer().text()).contains("parked");
            }
        } finally {
            polls.forEach(RawHttp::close);
            others.forEach(RawHttp2::close);
        }
    }

    private static String content(String dataId) {
        return CONFIGS + "?dataId=" + dataId + "&group=G";
    }

    private static void publish(String dataId, int length) {
        publish(cairn, dataId, length);
    }

    private static void publish(CairnExtension server, String dataId, int length) {
        assertThat(server.post("/v1/cs/configs", Map.of("dataId", dataId, "group", "G", "content", "x".repeat(length)))
                        .body())
                .isEqualTo("true");
    }

    private static int parkedPolls() {
        return meter(cairn, "cairn.config.long.polls");
    }

    private static int meter(CairnExtension server, String name) {
        String text = server.get("/actuator/metrics/" + name).body();
        return (int) Double.parseDouble(text.replaceAll("(?s).*\"value\":([0-9.E]+).*", "$1"));
    }
}

package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.auth.AuthenticatedServer;
import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.Recorded;
import io.cairn.server.support.WireClient;
import io.cairn.testing.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The internal timings, each once with its value in production. All waits run at the same time, so that the class takes as
 * long as the longest of them; other tests use shorter timings.
 */
@Tag("full")
class ProductionTimingsIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    /** Of a wait for the longest of the timings. */
    private static final Duration LONGEST = PATIENCE.plusSeconds(30);
    /** Timers fire on ticks, and the server reads a clock with milliseconds. */
    private static final Duration TICK = Duration.ofMillis(50);

    /** Before any server of this class has started. */
    private static final long BEGINNING = System.nanoTime();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final InspectableServer authenticated = AuthenticatedServer.open();

    private static final ExecutorService waits = Executors.newCachedThreadPool();

    private static Future<Duration> heartbeat;
    private static Future<Duration> notifiedAgain;
    private static Future<Duration> namedAsBehind;
    private static Future<Duration> endedWithItsToken;
    private static Future<Long> betweenPeriods;
    private static Future<Duration> firstCheck;
    private static Future<Duration> shortPoll;
    private static Future<Duration> longPoll;

    @BeforeAll
    static void beginAll() {
        heartbeat = waits.submit(ProductionTimingsIT::awaitHeartbeat);
        notifiedAgain = waits.submit(ProductionTimingsIT::awaitSecondNotification);
        namedAsBehind = waits.submit(ProductionTimingsIT::awaitFinding);
        endedWithItsToken = waits.submit(ProductionTimingsIT::awaitEndOfToken);
        betweenPeriods = waits.submit(ProductionTimingsIT::awaitTwoPeriods);
        firstCheck = waits.submit(ProductionTimingsIT::awaitFirstHealthCheck);
        shortPoll = waits.submit(poll("listen.timeout.10s", "h.yaml", "a: 2"));
        longPoll = waits.submit(poll("listen.timeout.12s", "h.json", "{\"k\":\"中\"}"));
    }

    @AfterAll
    static void stop() {
        waits.shutdownNow();
    }

    @Test
    void anEventStreamWithoutEventsHasAHeartbeatAfterTenSeconds() throws Exception {
        assertLasts(heartbeat, Duration.ofSeconds(10));
    }

    private static Duration awaitHeartbeat() {
        long start = System.nanoTime();
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            http.request("GET", "/nacos/v3/admin/core/events?namespaceId=quiet");
            StringBuilder seen = new StringBuilder();
            await().atMost(LONGEST).until(() -> {
                while (http.hasAnswer()) {
                    seen.append(http.read(1));
                }
                return seen.indexOf(": still here") >= 0;
            });
        }
        return since(start);
    }

    @Test
    void aListenerThatDoesNotFetchAChangeIsNotifiedAgainAfterTenSeconds() throws Exception {
        assertLasts(notifiedAgain, Duration.ofSeconds(10));
    }

    private static Duration awaitSecondNotification() {
        try (WireClient losing = cairn.newClient()) {
            losing.listen("lost.yaml", "");
            long start = System.nanoTime();
            losing.publish("lost.yaml", "a: 1");
            for (int i = 0; i < 2; i++) {
                Payload push = losing.nextPush();
                assertThat(push.type()).isEqualTo("ConfigChangeNotifyRequest");
                assertThat(WireClient.tree(push).path("dataId").asString()).isEqualTo("lost.yaml");
            }
            return since(start);
        }
    }

    @Test
    void aListenerIsNamedAsBehindTenSecondsAfterTheChange() throws Exception {
        assertLasts(namedAsBehind, Duration.ofSeconds(10));
    }

    private static Duration awaitFinding() {
        try (WireClient late = cairn.newClient()) {
            long start = System.nanoTime();
            late.publish("behind.yaml", "a: 1");
            late.listen("behind.yaml", ContentDigest.of("a: 0").toString());
            await().atMost(LONGEST).until(() -> cairn.get("/v3/admin/core/attention?namespaceId=public")
                    .body()
                    .contains("behind.yaml"));
            return since(start);
        }
    }

    @Test
    void closesStreamsOfAnExpiredTokenWithinFifteenSeconds() throws Exception {
        // The accounts are read every 15 s, counted from the start of the server.
        assertLasts(endedWithItsToken, Duration.ofSeconds(15));
    }

    private static Duration awaitEndOfToken() {
        AuthenticatedServer server = new AuthenticatedServer(authenticated);
        String administrator = server.token("nacos", server.adminPassword());
        try (WireClient client = authenticated.newClient()) {
            // After the connection, for which a busy machine may need longer than the token lives.
            String token = server.newToken(administrator, "short", Duration.ofSeconds(5), "r dev:g:config/*");
            assertThat(client.request(
                                    "ConfigBatchListenRequest",
                                    "{\"listen\":true,\"configListenContexts\":[{\"group\":\"g\",\"tenant\":\"dev\","
                                            + "\"md5\":\"\",\"dataId\":\"c\"}]}",
                                    Map.of("accessToken", token))
                            .path("success")
                            .asBoolean())
                    .isTrue();
            assertThat(client.streamEnd()).succeedsWithin(LONGEST);
            return since(BEGINNING);
        }
    }

    @Test
    void pushLatenciesAreSummedUpEveryFiveSeconds() throws Exception {
        assertThat(latencies().path("periodSeconds").asInt()).isEqualTo(5);
        assertThat(betweenPeriods.get(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .isBetween(5_000 - TICK.toMillis(), 5_000 + LONGEST.toMillis());
    }

    private static JsonNode latencies() {
        return JSON.readTree(cairn.get("/v3/admin/core/push/latency").body()).path("data");
    }

    private static long awaitTwoPeriods() {
        JsonNode periods =
                await().atMost(LONGEST).until(() -> latencies().path("config"), samples -> samples.size() >= 2);
        return periods.path(1).path("at").asLong() - periods.path(0).path("at").asLong();
    }

    @Test
    void anInstanceIsCheckedForTheFirstTimeAfterTwoToSevenSeconds() throws Exception {
        assertLasts(firstCheck, Duration.ofSeconds(2));
    }

    private static Duration awaitFirstHealthCheck() throws IOException {
        try (Socket taken = new Socket()) {
            // Its port is nobody else's, and nobody listens there.
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return untilUnhealthy(taken.getLocalPort());
        }
    }

    private static Duration untilUnhealthy(int unused) {
        String instance = "serviceName=checked&ip=127.0.0.1&port=" + unused;
        long start = System.nanoTime();
        assertThat(cairn.post("/v1/ns/instance?ephemeral=false&" + instance, Map.of())
                        .body())
                .isEqualTo("ok");
        await().atMost(LONGEST)
                .until(() -> cairn.get("/v1/ns/instance?" + instance).body().contains("\"healthy\":false"));
        return since(start);
    }

    @Test
    void aPollWithAShortTimeoutWaitsTenSeconds() throws Exception {
        assertLasts(shortPoll, Duration.ofSeconds(10));
    }

    @Test
    void aPollIsAnsweredHalfASecondBeforeItsTimeIsOver() throws Exception {
        assertLasts(longPoll, Duration.ofMillis(11_500));
    }

    /** Plays a recorded poll that ends without a change. */
    private static Callable<Duration> poll(String sample, String dataId, String content) {
        JsonNode recorded = Recorded.lines("http-v1.jsonl").stream()
                .filter(line -> line.path("name").asString().equals(sample))
                .findFirst()
                .orElseThrow();
        return () -> {
            assertThat(cairn.post(
                                    "/v1/cs/configs",
                                    Map.of("dataId", dataId, "group", "DEFAULT_GROUP", "content", content))
                            .body())
                    .isEqualTo("true");
            try (WireClient client = cairn.newClient();
                    RawHttp http = RawHttp.connect(cairn.server())) {
                // The announcement of the change above would otherwise be taken for another one.
                client.awaitAnnouncements();
                long start = System.nanoTime();
                Answer answer = RecordedAnswers.exchange(http, recorded.path("request"));
                Duration lasted = since(start);
                new RecordedAnswers(UnaryOperator.identity())
                        .assertSame(sample, recorded.path("response"), null, answer);
                assertThat(lasted.toMillis())
                        .isGreaterThanOrEqualTo(recorded.path("elapsed_ms").asLong() - TICK.toMillis());
                return lasted;
            }
        };
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** Not shorter, and not a multiple of it: other tests may slow this one down, but not by {@link Patience#PATIENCE}. */
    private static void assertLasts(Future<Duration> wait, Duration expected) throws Exception {
        assertThat(wait.get(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .isBetween(expected.minus(TICK), expected.plus(PATIENCE));
    }
}

package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Gauge;
import io.cairn.server.support.WireClient;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How clients of the 1.x kind hear of changes. */
class LongPollingIT {

    private static final String LISTENER = "/nacos/v1/cs/configs/listener";
    private static final String PARK = "Long-Pulling-Timeout: 30000";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private final Gauge polls = new Gauge(cairn, "cairn.config.long.polls");
    private final Gauge listens = new Gauge(cairn, "cairn.config.listens");

    /** Every poll of these tests is answered or abandoned, and leaves nothing behind. */
    @AfterEach
    void nothingIsLeftBehind() {
        polls.awaitValue(0);
        listens.awaitValue(0);
    }

    @Test
    void aParkedPollIsAnsweredWhenItsConfigurationChanges() {
        given("wake.txt", "", "v1");
        try (RawHttp http = park(record("wake.txt", "G", md5("v1"), null))) {
            publish("wake.txt", "", "v2");

            Answer answer = http.answer();

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo("wake.txt%02G%01\n");
            assertThat(answer.header("Content-Type")).isEqualTo("application/json;charset=UTF-8");
            assertThat(answer.header("Cache-Control")).isEqualTo("no-cache,no-store");
        }
    }

    @Test
    void ofSeveralConfigurationsTheOneThatChangesIsNamed() {
        try (RawHttp http = park(record("several-1", "G", "", null)
                + record("several-2", "G", "", "dev")
                + record("several-3", "G", "", null))) {
            listens.awaitValue(3);

            publish("several-2", "dev", "v1");

            assertThat(http.answer().text()).isEqualTo("several-2%02G%02dev%01\n");
        }
    }

    @Test
    void aPollIsAnsweredWhenItsConfigurationIsCreatedAndWhenItIsRemoved() {
        try (RawHttp http = park(record("life.txt", "G", "", null))) {
            publish("life.txt", "", "born");
            assertThat(http.answer().text()).isEqualTo("life.txt%02G%01\n");

            // The client polls again on the same connection.
            poll(http, record("life.txt", "G", md5("born"), null), PARK);
            polls.awaitValue(1);
            assertThat(cairn.delete("/v1/cs/configs?dataId=life.txt&group=G").body())
                    .isEqualTo("true");
            assertThat(http.answer().text()).isEqualTo("life.txt%02G%01\n");
        }
    }

    @Test
    void aPublishOfTheSameContentNotifiesNoListener() {
        given("same.txt", "", "v1");
        try (RawHttp http = park(record("same.txt", "G", md5("v1"), null) + record("same-marker", "G", "", null))) {
            publish("same.txt", "", "v1");
            publish("same-marker", "", "later");

            // Changes are announced in order: the first would have been the answer.
            assertThat(http.answer().text()).isEqualTo("same-marker%02G%01\n");
        }
    }

    @Test
    void aChangeThatComesOverGrpcWakesPollsToo() {
        try (WireClient writer = cairn.newClient();
                RawHttp http = park(record("grpc.txt", "DEFAULT_GROUP", "", null))) {
            writer.publish("grpc.txt", "v1");

            assertThat(http.answer().text()).isEqualTo("grpc.txt%02DEFAULT_GROUP%01\n");
        }
    }

    @Test
    void allThatDifferAreNamedAtOnceWithoutParking() {
        publish("now-1", "", "v1");
        publish("now-2", "dev", "v1");
        try (RawHttp http = connect()) {
            poll(
                    http,
                    record("now-1", "G", "", null)
                            + record("now-absent", "G", "", null)
                            + record("now-2", "G", md5("old"), "dev")
                            + record("now-1", "G", md5("v1"), "dev"),
                    PARK);

            // The last one is another configuration, which does not exist although the client has it.
            assertThat(http.answer().text()).isEqualTo("now-1%02G%01now-2%02G%02dev%01now-1%02G%02dev%01\n");
        }
    }

    @Test
    void publicAndNoTenantAreOneNamespaceAndTheClientIsAnsweredInItsSpelling() {
        given("public.txt", "", "v1");
        try (RawHttp http = park(record("public.txt", "G", md5("v1"), "public"))) {
            publish("public.txt", "", "v2");
            assertThat(http.answer().text()).isEqualTo("public.txt%02G%02public%01\n");

            poll(http, record("public.txt", "G", md5("v2"), null), PARK);
            polls.awaitValue(1);
            publish("public.txt", "public", "v3");
            assertThat(http.answer().text()).isEqualTo("public.txt%02G%01\n");

            // Both spellings in one list: one key, answered once.
            poll(http, record("public.txt", "G", "", "public") + record("public.txt", "G", "", null), PARK);
            assertThat(http.answer().text()).isEqualTo("public.txt%02G%02public%01\n");
        }
    }

    @Test
    void anEmptyFourthFieldIsNoTenant() {
        // The Python client sends one.
        publish("python.txt", "", "v1");
        try (RawHttp http = connect()) {
            poll(http, "python.txt\u0002G\u0002\u0002\u0001", PARK);

            assertThat(http.answer().text()).isEqualTo("python.txt%02G%01\n");
        }
    }

    @Test
    void aListThatIsEncodedOnceMoreIsUnderstood() {
        publish("twice.txt", "", "v1");
        try (RawHttp http = connect()) {
            poll(http, URLEncoder.encode(record("twice.txt", "G", "", null), StandardCharsets.UTF_8), PARK);

            assertThat(http.answer().text()).isEqualTo("twice.txt%02G%01\n");
        }
    }

    @Test
    void aKeyThatIsListedTwiceIsAnsweredOnceAndLeavesNothingBehind() {
        String record = record("double.txt", "G", "", null);
        try (RawHttp http = park(record + record)) {
            publish("double.txt", "", "v1");

            assertThat(http.answer().text()).isEqualTo("double.txt%02G%01\n");
        }
    }

    @Test
    void removesClientThatDisconnects() {
        for (boolean politely : new boolean[] {true, false}) {
            RawHttp http = park(record("gone-1", "G", "", null) + record("gone-2", "G", "", null));
            listens.awaitValue(2);

            if (politely) {
                http.close();
            } else {
                http.abort();
            }

            polls.awaitValue(0);
            listens.awaitValue(0);
        }
    }

    @Test
    void departureOfOneClientDoesNotAffectAnotherOfTheSameConfiguration() {
        try (RawHttp stays = park(record("shared.txt", "G", "", null))) {
            RawHttp goes = connect();
            poll(goes, record("shared.txt", "G", "", null), PARK);
            polls.awaitValue(2);
            goes.close();
            polls.awaitValue(1);

            publish("shared.txt", "", "v1");

            assertThat(stays.answer().text()).isEqualTo("shared.txt%02G%01\n");
        }
    }

    @Test
    void aRequestBehindAParkedPollIsAnsweredAfterIt() {
        try (RawHttp http = park(record("behind.txt", "G", "", null))) {
            http.request("GET", "/nacos/v1/console/health/liveness");

            publish("behind.txt", "", "v1");

            assertThat(http.answer().text()).isEqualTo("behind.txt%02G%01\n");
            assertThat(http.answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void aPollFromAnHttp10ClientIsAnsweredAndItsConnectionClosed() {
        String form = form(record("old.txt", "G", "", null));
        try (RawHttp http = connect()) {
            http.send("POST " + LISTENER + " HTTP/1.0\r\nlong-pulling-timeout: 30000\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + form.length()
                    + "\r\n\r\n" + form);
            polls.awaitValue(1);

            publish("old.txt", "", "v1");

            assertThat(http.answer().text()).isEqualTo("old.txt%02G%01\n");
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @Test
    void noChangeIsLostBetweenThePollAndTheRead() throws Exception {
        publish("race.txt", "", "v0");
        try (RawHttp http = connect()) {
            for (int i = 1; i <= 100; i++) {
                String before = "v" + (i - 1);
                String after = "v" + i;
                // Sent while the poll is compared and registered: it is seen there, or wakes the poll.
                CompletableFuture<Void> publish = CompletableFuture.runAsync(() -> publish("race.txt", "", after));
                poll(http, record("race.txt", "G", md5(before), null), PARK);

                assertThat(http.answer().text()).as("poll %s", i).isEqualTo("race.txt%02G%01\n");
                publish.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(cairn.get("/v1/cs/configs?dataId=race.txt&group=G").body())
                        .isEqualTo(after);
            }
        }
    }

    @Test
    void hundredsOfParkedPollsTakeNoThreadAndAreAllAnswered() {
        Gauge threads = new Gauge(cairn, "jvm.threads.live");
        List<RawHttp> clients = new ArrayList<>();
        try {
            RawHttp first = connect();
            clients.add(first);
            poll(first, record("crowd.txt", "G", "", null), PARK);
            polls.awaitValue(1);
            int threadsBefore = threads.value();
            for (int i = 1; i < 400; i++) {
                RawHttp client = connect();
                clients.add(client);
                poll(client, record("crowd.txt", "G", "", null) + record("other-" + i, "G", "", null), PARK);
            }
            polls.awaitValue(400);
            assertThat(threads.value()).isLessThan(threadsBefore + 20);

            publish("crowd.txt", "", "v1");

            for (RawHttp client : clients) {
                assertThat(client.answer().text()).isEqualTo("crowd.txt%02G%01\n");
            }
        } finally {
            clients.forEach(RawHttp::close);
        }
    }

    @Test
    void aPollOfThreeThousandConfigurationsIsParkedAndWoken() {
        StringBuilder records = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            records.append(record("many-" + i, "DEFAULT_GROUP", "", "development"));
        }
        try (RawHttp http = park(records.toString())) {
            listens.awaitValue(3_000);

            assertThat(cairn.post(
                                    "/v1/cs/configs",
                                    Map.of(
                                            "dataId", "many-2999",
                                            "group", "DEFAULT_GROUP",
                                            "tenant", "development",
                                            "content", "v1"))
                            .body())
                    .isEqualTo("true");

            assertThat(http.answer().text()).isEqualTo("many-2999%02DEFAULT_GROUP%02development%01\n");
        }
    }

    @Test
    void tenThousandRecordsAreTheMostThatIsTaken() {
        String record = record("limit.txt", "G", "", null);
        try (RawHttp http = connect()) {
            poll(http, record.repeat(10_000), PARK, "Long-Pulling-Timeout-No-Hangup: true");
            assertThat(http.answer().text()).isEmpty();

            poll(http, record.repeat(10_001), PARK, "Long-Pulling-Timeout-No-Hangup: true");
            Answer refused = http.answer();
            assertThat(refused.status()).isEqualTo(500);
            assertThat(refused.text()).contains("\"message\":\"invalid probeModify\"");
        }
    }

    @Test
    void answersAtOnceWithoutWaiting() {
        publish("hurry.txt", "", "v1");
        try (RawHttp http = connect()) {
            poll(http, record("hurry.txt", "G", md5("v1"), null), PARK, "Long-Pulling-Timeout-No-Hangup: TRUE");
            assertThat(http.answer().text()).isEmpty();

            poll(http, record("hurry.txt", "G", "", null), PARK, "Long-Pulling-Timeout-No-Hangup: true");
            assertThat(http.answer().text()).isEqualTo("hurry.txt%02G%01\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.0.4", "2.1.0", "3.0.0", "10.0", "Nacos-Java-Client:v2.5.1"})
    void newerClientsThatDoNotParkGetTheRecordsInTheBody(String version) {
        publish("short.txt", "", "v1");
        try (RawHttp http = connect()) {
            poll(http, record("short.txt", "G", "", null), "Client-Version: " + version);
            Answer answer = http.answer();

            assertThat(answer.text()).isEqualTo("short.txt%02G%01\n");
            assertThat(answer.header("Probe-Modify-Response")).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.0.3", "1.4.8", "Nacos-Java-Client:v1.4.8", "2", "", "unknown"})
    void olderClientsThatDoNotParkGetThemInTheHeaders(String version) {
        publish("short.txt", "", "v1");
        publish("short.txt", "dev", "v1");
        try (RawHttp http = connect()) {
            poll(
                    http,
                    record("short.txt", "G", "", null) + record("short.txt", "G", "", "dev"),
                    "Client-Version: " + version);
            Answer answer = http.answer();

            assertThat(answer.text()).isEmpty();
            assertThat(answer.header("Probe-Modify-Response")).isEqualTo("short.txt:G;short.txt:G;");
            assertThat(answer.header("Probe-Modify-Response-New")).isEqualTo("short.txt%02G%01short.txt%02G%02dev%01");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "1.5", "99999999999999999999"})
    void aTimeoutThatIsNoNumberIsRefused(String timeout) {
        try (RawHttp http = connect()) {
            poll(http, record("timeout.txt", "G", "", null), "Long-Pulling-Timeout: " + timeout);
            Answer answer = http.answer();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("'" + timeout + "'").contains("milliseconds");
        }
    }

    @Test
    void aRecordWithAnIllegalNameIsRefusedAndNothingIsParked() {
        try (RawHttp http = connect()) {
            poll(http, record("legal.txt", "G", "", null) + record("il legal", "G", "", null), PARK);
            Answer answer = http.answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).startsWith("Param 'dataId' is illegal");

            poll(http, record("legal.txt", "", "", null), PARK);
            assertThat(http.answer().status()).isEqualTo(400);
            poll(http, "legal.txt%2502G%2", PARK);
            assertThat(http.answer().status()).isEqualTo(400);
        }
        assertThat(polls.value()).isZero();
    }

    private RawHttp park(String records) {
        RawHttp http = connect();
        poll(http, records, PARK);
        polls.awaitValue(1);
        return http;
    }

    private static void poll(RawHttp http, String records, String... headers) {
        http.form("POST", LISTENER, form(records), headers);
    }

    private static String form(String records) {
        return "Listening-Configs=" + URLEncoder.encode(records, StandardCharsets.UTF_8);
    }

    private static String record(String dataId, String group, String md5, String tenant) {
        return dataId + '\u0002' + group + '\u0002' + md5 + (tenant == null ? "" : '\u0002' + tenant) + '\u0001';
    }

    private static String md5(String content) {
        return ContentDigest.of(content).toString();
    }

    private static RawHttp connect() {
        return RawHttp.connect(cairn.server());
    }

    /** Publishes what is to be there before, and waits until nobody will be woken by that any more. */
    private static void given(String dataId, String tenant, String content) {
        publish(dataId, tenant, content);
        try (WireClient client = cairn.newClient()) {
            client.awaitAnnouncements();
        }
    }

    private static void publish(String dataId, String tenant, String content) {
        Map<String, String> form = new HashMap<>(Map.of("dataId", dataId, "group", "G", "content", content));
        if (!tenant.isEmpty()) {
            form.put("tenant", tenant);
        }
        assertThat(cairn.post("/v1/cs/configs", form).body()).isEqualTo("true");
    }
}

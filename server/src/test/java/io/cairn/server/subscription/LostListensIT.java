package io.cairn.server.subscription;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Meters;
import io.cairn.server.support.WireClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

/** Official Java clients that believe they listen to more than they do. */
@Tag("full")
class LostListensIT {

    private static final String QUESTION = "ClientConfigMetricRequest";
    private static final String RESET = "ConnectResetRequest";
    private static final Duration FIRST = Duration.ofMillis(300);
    /** Longer than all questions about one connection take. */
    private static final Duration ASKED = FIRST.multipliedBy(10);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary().timed(timings -> timings.withListenCheck(FIRST));

    @RegisterExtension
    static final CairnExtension off = CairnExtension.temporary()
            .with("cairn.config.heal-listeners", "false")
            .timed(timings -> timings.withListenCheck(Duration.ofMillis(10)));

    private final Client client = new Client();

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void resetsAClientThatLostListens() {
        double before = healed();
        client.connect("0").listen(0, 20);
        client.connect("0").listen(0, 5);

        client.awaitReset(20);

        assertThat(healed()).isEqualTo(before + 1);
        client.connect("0").listen(0, 20);
        client.assertNotReset(20);
    }

    @Test
    void aFirstConnectionOverWhichMostIsLackingIsReset() {
        client.connect("0").listen(0, 9);

        client.awaitReset(20);
    }

    @Test
    void doesNotResetAClientThatListensToAll() {
        client.connect("0").listen(0, 20);
        client.connect("0").listen(0, 20);

        client.assertNotReset(20, 5);
        // Three early ones that decide nothing, and two rounds.
        assertThat(client.questions).isEqualTo(5);
    }

    @Test
    void doesNotResetAClientWithoutAFormerConnection() {
        client.connect("0").listen(0, 15);

        // Five come from fail-over files.
        client.assertNotReset(20);
        client.connect("0").listen(0, 15);
        client.assertNotReset(20);
        client.connect("0").listen(0, 14);
        client.awaitReset(20);
    }

    @Test
    void resetsAClientTwiceThatKeepsLackingTheSameNumber() {
        client.connect("0").listen(0, 15);
        for (int i = 0; i < 2; i++) {
            client.connect("0").listen(0, 15);
            client.awaitReset(20);
        }
        client.connect("0").listen(0, 15);

        client.assertNotReset(20);
    }

    @Test
    void aConnectionThatStaysIsResetTwice() {
        client.connect("0");
        client.connect("0").listen(0, 2);

        client.awaitReset(20);
        client.awaitReset(20);
        client.assertNotReset(20);
    }

    @Test
    void doesNotResetAClientBeforeItsListens() {
        client.connect("0");
        client.connect("0");

        client.listensAt = question -> client.listen(question, question + 1);

        client.assertNotReset(20, 10);
        assertThat(client.questions).isBetween(10, 15);
    }

    @Test
    void listensOfAllConnectionsOfAClientAreCounted() {
        client.connect("0");
        client.connect("0").listen(0, 15);
        try (Client other = client.alongside()) {
            other.connect("1").listen(15, 20);
            // All of its questions, because an answer counts only until the next question is sent.
            other.assertNotReset(20, 5);
            client.assertNotReset(20);
        }
    }

    @Test
    void listensOfAnotherClientAreNotCounted() {
        client.connect("0");
        try (Client other = client.another()) {
            other.connect("1").listen(0, 20);
            // All of its questions, because an answer counts only until the next question is sent.
            other.assertNotReset(20, 5);
            client.connect("0").listen(0, 5);

            client.awaitReset(20);
        }
    }

    @Test
    void listensThatMayBeThoseOfAnotherClientLeaveTheLackOpen() {
        client.connect("0");
        try (Client other = client.another()) {
            other.connect("1").listen(0, 20);
            client.connect("0").listen(0, 15);

            // The other client has not said who it is.
            client.assertNotReset(20, 8);
            assertThat(client.questions).as("questions of two rounds").isGreaterThan(7);
        }
    }

    @Test
    void aConnectionThatWasThereBeforeReplacesNoOther() {
        client.connect("0").listen(0, 15);
        try (Client other = client.another()) {
            other.connect("0");
        }

        // Five come from fail-over files.
        client.assertNotReset(20);
        client.connect("0").listen(0, 15);
        client.assertNotReset(20);
    }

    @Test
    void aConnectionIsReplacedByOneOtherAlone() {
        client.connect("0");
        try (Client other = client.another()) {
            client.close();
            await().until(() -> new Meters(cairn).connections() == 0);
            client.connect("0").listen(0, 5);
            other.connect("0").listen(0, 15);

            client.awaitReset(20);
            other.assertNotReset(20);
        }
    }

    @Test
    void resetsConnectionThatIsSetUpBeforeItsPredecessorEnds() {
        client.connect("0");
        try (Client next = client.alongside()) {
            next.connect("0").listen(0, 5);
            client.close();

            next.awaitReset(20);
        }
    }

    @Test
    void otherSdksAndOtherModulesAreNotAsked() {
        try (WireClient go = cairn.newClient();
                WireClient naming = cairn.newTransport().setUpAs("naming");
                WireClient java = off.newTransport().setUp("127.0.0.1", "Nacos-Java-Client:v2.5.1")) {
            // Asked at the same time as they would be.
            client.connect("0");
            client.assertNotReset(0);

            assertThat(go.pushes()).isEmpty();
            assertThat(naming.pushes()).isEmpty();
            assertThat(java.pushes()).isEmpty();
        }
    }

    @Test
    void ignoresUnusableMetrics() {
        client.connect("0");
        client.connect("0");

        for (String metrics : new String[] {
            "null", "{}", "{\"a\":\"{}\"}", "{\"a\":\"nonsense\"}", "{\"a\":\"{\\\"listenConfigSize\\\":\\\"x\\\"}\"}"
        }) {
            client.answer(client.next(QUESTION), "\"metrics\":" + metrics);
            client.connect("0");
        }

        assertThat(client.transport
                        .request("HealthCheckRequest", "{}")
                        .path("success")
                        .asBoolean())
                .isTrue();
    }

    private static double healed() {
        String text = cairn.get("/actuator/metrics/cairn.config.listens.healed").body();
        return JSON.readTree(text).path("measurements").path(0).path("value").asDouble();
    }

    /** One client over one connection after the other. */
    private static final class Client implements AutoCloseable {

        private final String id;
        private final String version;
        private WireClient transport;
        private int questions;
        private IntConsumer listensAt = question -> {};

        /** Of a version of its own: clients of one address and version may have connections in common. */
        Client() {
            this(UUID.randomUUID().toString(), "v2.5.1-" + UUID.randomUUID());
        }

        private Client(String id, String version) {
            this.id = id;
            this.version = version;
        }

        /** The same client, for another of its connections. */
        Client alongside() {
            return new Client(id, version);
        }

        /** Another client of the same address and version. */
        Client another() {
            return new Client(UUID.randomUUID().toString(), version);
        }

        /** Connects, in place of the connection that was there. */
        Client connect(String task) {
            close();
            transport = cairn.newTransport();
            transport.acknowledge(push -> !push.type().equals(QUESTION));
            String introduction = """
                    {"clientVersion":"Nacos-Java-Client:%s","tenant":"","labels":{"source":"sdk","module":"config","taskId":"%s"}}""".formatted(version, task);
            transport.push(
                    Payload.of("ConnectionSetupRequest", "127.0.0.1", introduction.getBytes(StandardCharsets.UTF_8)));
            await().pollInterval(Duration.ofMillis(10)).until(() -> transport
                    .request("HealthCheckRequest", "{}")
                    .path("success")
                    .asBoolean());
            questions = 0;
            return this;
        }

        void listen(int from, int to) {
            String keys = IntStream.range(from, to)
                    .mapToObj(i -> "{\"dataId\":\"lost-" + i + "\",\"group\":\"G\",\"tenant\":\"\",\"md5\":\"\"}")
                    .collect(Collectors.joining(","));
            assertThat(transport
                            .request(
                                    "ConfigBatchListenRequest",
                                    "{\"listen\":true,\"configListenContexts\":[" + keys + "]}")
                            .path("success")
                            .asBoolean())
                    .isTrue();
        }

        Payload next(String type) {
            return transport.nextPush(type);
        }

        void answer(Payload question, int wanted) {
            answer(
                    question,
                    "\"metrics\":{\"" + id + "\":\"{\\\"listenConfigSize\\\":\\\"" + wanted
                            + "\\\",\\\"clientVersion\\\":\\\"" + version + "\\\",\\\"metricValues\\\":{}}\"}");
        }

        void answer(Payload question, String metrics) {
            String requestId =
                    JSON.readTree(question.bodyText()).path("requestId").asString();
            transport.push(
                    "ClientConfigMetricResponse",
                    "{\"resultCode\":200,\"errorCode\":0,\"requestId\":\"" + requestId + "\"," + metrics + "}");
        }

        void awaitReset(int wanted) {
            await().pollInterval(Duration.ofMillis(1)).until(() -> answersReset(wanted));
        }

        /** Answers all questions that the server asks about one connection. */
        void assertNotReset(int wanted) {
            assertNotReset(wanted, 0);
        }

        /** As above, until that many have come, which takes longer on a busy machine. */
        void assertNotReset(int wanted, int atLeast) {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < ASKED.toNanos()
                    || questions < atLeast && System.nanoTime() - begin < PATIENCE.toNanos()) {
                assertThat(answersReset(wanted)).isFalse();
            }
        }

        /** Answers what comes next, for a moment; whether that is a reset. */
        private boolean answersReset(int wanted) {
            Payload push = pushed();
            if (push != null && push.type().equals(QUESTION)) {
                listensAt.accept(questions);
                questions++;
                answer(push, wanted);
            }
            return push != null && push.type().equals(RESET);
        }

        private Payload pushed() {
            try {
                return transport.pushes().poll(50, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            if (transport != null) {
                transport.close();
                transport = null;
            }
        }
    }
}

package io.cairn.server.fuzz;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Meters;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections that stand still half way, and those that only seem to. */
@Tag("full")
class SlowHttpIT {

    /** For those who must not be taken for idle on a busy machine. */
    private static final Duration LONG_IDLE = Duration.ofSeconds(10);

    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final int LARGE = 8 * 1024 * 1024;
    private static final String GET =
            "GET /nacos/v1/cs/configs?dataId=%s&group=DEFAULT_GROUP HTTP/1.1\r\nHost: x\r\n\r\n";

    @RegisterExtension
    static final CairnExtension patient =
            CairnExtension.temporary().with("cairn.http.idle", LONG_IDLE.toSeconds() + "s");

    @RegisterExtension
    static final CairnExtension hasty = CairnExtension.temporary().with("cairn.http.idle", IDLE.toSeconds() + "s");

    private final Meters meters = new Meters(hasty);

    @BeforeAll
    static void publish() {
        for (CairnExtension server : List.of(patient, hasty)) {
            try (WireClient client = server.newClient()) {
                client.publish("large", "x".repeat(LARGE));
                for (int i = 0; i < 10; i++) {
                    client.publish("small-" + i, "content " + i);
                }
            }
        }
    }

    @Test
    void endsIncompleteRequests() {
        List<RawSocket> connections = Stream.of(
                        "",
                        "G",
                        "GET /nacos/ HTT",
                        "GET /nacos/ HTTP/1.1\r\nHost: local",
                        "GET /nacos/ HTTP/1.1\r\nHost: localhost\r\n",
                        "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: 100\r\n\r\ndataId=a",
                        "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc")
                .map(beginning -> {
                    RawSocket connection = RawSocket.connect(hasty.server().httpPort());
                    connection.send(beginning);
                    return connection;
                })
                .toList();

        for (RawSocket connection : connections) {
            assertThat(connection.readAll(PATIENCE)).isEmpty();
            connection.close();
        }
        await().until(() -> meters.httpConnections() == 1);
    }

    @Test
    void closesConnectionThatDoesNotReadItsResponse() {
        try (RawSocket deaf = RawSocket.connect(hasty.server().httpPort(), 4_096)) {
            deaf.send(String.format(GET, "large"));
            assertThat(deaf.read(8)).as("its answer has begun").isEqualTo("HTTP/1.1");

            await().until(() -> meters.httpConnections() == 1);
        }
    }

    @Test
    void closesAnUnusedConnection() {
        try (RawSocket connection = RawSocket.connect(hasty.server().httpPort())) {
            connection.send(String.format(GET, "small-3"));

            assertThat(connection.readAll(PATIENCE)).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\ncontent 3");
        }
    }

    @Test
    void aRequestThatComesByteByByteIsAnswered() {
        try (RawSocket connection = RawSocket.connect(patient.server().httpPort())) {
            String request = String.format(GET, "small-4").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
            for (byte each : request.getBytes(StandardCharsets.US_ASCII)) {
                connection.send(new byte[] {each});
            }

            assertThat(connection.readAll(PATIENCE)).endsWith("\r\n\r\ncontent 4");
        }
    }

    @Test
    void aParkedPollIsNotIdle() {
        String body = "Listening-Configs=parked%02DEFAULT_GROUP%02%01";
        try (RawSocket connection = RawSocket.connect(hasty.server().httpPort());
                WireClient writer = hasty.newClient()) {
            connection.send(
                    "POST /nacos/v1/cs/configs/listener HTTP/1.1\r\nHost: cairn\r\nLong-Pulling-Timeout: 30000\r\n"
                            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + body.length()
                            + "\r\n\r\n"
                            + body);
            await().until(() -> meters.longPolls() == 1);

            await().during(IDLE.multipliedBy(2)).until(() -> meters.longPolls() == 1);
            writer.publish("parked", "a: 1");

            assertThat(connection.readAll(PATIENCE))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("parked%02DEFAULT_GROUP%01\n");
            writer.remove("parked");
        }
    }

    @Test
    void aSlowReaderIsNotIdle() {
        try (RawSocket connection = RawSocket.connect(patient.server().httpPort(), 64 * 1024)) {
            connection.send(String.format(GET, "large"));
            AtomicInteger read = new AtomicInteger();

            await().pollInterval(Duration.ofMillis(100)).until(() -> {
                int part = connection.read(256 * 1024).length();
                return part < 256 * 1024 || read.addAndGet(part) >= LARGE;
            });

            assertThat(read).hasValue(LARGE);
        }
    }

    @Test
    void answersPipelinedRequestsInOrder() {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            requests.append(String.format(GET, "small-" + i % 10));
        }
        String publish = "dataId=pipelined&group=DEFAULT_GROUP&content=c";
        requests.append(
                        "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                                + "Content-Length: " + publish.length() + "\r\n\r\n" + publish)
                .append(String.format(GET, "pipelined"))
                .append("GET /nacos/v1/cs/configs?dataId=small-5&group=DEFAULT_GROUP HTTP/1.0\r\n\r\n")
                .append(String.format(GET, "small-6")); // after the last one: not answered any more
        try (RawSocket connection = RawSocket.connect(patient.server().httpPort())) {
            connection.send(requests.toString());

            String[] answers = connection.readAll(PATIENCE).split("HTTP/1\\.1 200 OK");

            assertThat(answers).hasSize(1 + 1_000 + 3);
            for (int i = 0; i < 1_000; i++) {
                assertThat(answers[i + 1]).endsWith("\r\n\r\ncontent " + i % 10);
            }
            assertThat(answers[1_001]).endsWith("\r\n\r\ntrue");
            assertThat(answers[1_002]).endsWith("\r\n\r\nc");
            assertThat(answers[1_003]).endsWith("\r\n\r\ncontent 5");
        }
    }
}

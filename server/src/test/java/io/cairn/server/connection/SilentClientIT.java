package io.cairn.server.connection;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Meters;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawHttp2;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
class SilentClientIT {

    private static final Duration SILENCE = Duration.ofMillis(500);

    /** Waits for an answer so long that a client on a busy machine gives it in time. */
    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.connections.silence", SILENCE.toMillis() + "ms")
            .with("cairn.connections.detection-timeout", "8s")
            .with("logging.level.io.cairn.server.connection", "ERROR"); // a line for each that is closed

    /** For clients that answer nothing: it does not wait for long. */
    @RegisterExtension
    static final CairnExtension strict = CairnExtension.temporary()
            .with("cairn.connections.silence", SILENCE.toMillis() + "ms")
            .with("cairn.connections.detection-timeout", "300ms")
            .with("logging.level.io.cairn.server.connection", "ERROR");

    private final Meters meters = new Meters(cairn);
    private final Meters strictMeters = new Meters(strict);

    @BeforeEach
    void awaitTheEndOfFormerConnections() {
        await().until(() -> meters.connections() == 0 && strictMeters.connections() == 0);
    }

    /** A client that shows the detections. */
    private static WireClient newClient() {
        return cairn.newTransport().showDetections().setUp();
    }

    @Test
    void sendsADetectionToASilentClient() {
        try (WireClient client = newClient()) {
            Payload detection = client.nextPush();

            assertThat(detection.type()).isEqualTo("ClientDetectionRequest");
            String requestId = WireClient.tree(detection).path("requestId").asString();
            assertThat(requestId).matches("\\d+");
            assertThat(detection.bodyText())
                    .isEqualTo("{\"headers\":{},\"requestId\":\"" + requestId + "\",\"module\":\"internal\"}");
            assertThat(detection.clientIp()).as("the server's own address").isEqualTo("127.0.0.1");
        }
    }

    @Test
    void keepsSilentClientThatAnswersDetection() {
        try (WireClient client = newClient()) {
            client.listen("detected", "");

            for (int i = 0; i < 3; i++) {
                assertThat(client.nextPush().type()).isEqualTo("ClientDetectionRequest");
            }

            assertThat(client.streamEnd()).isNotDone();
            assertThat(meters.listens()).isOne();
        }
    }

    @Test
    void closesStreamListensAndTransportOfClientThatDoesNotAnswer() {
        try (WireClient client = strict.newTransport().showDetections()) {
            client.acknowledge(push -> false);
            client.setUp();
            client.listen("silent", "");
            assertThat(client.nextPush().type()).isEqualTo("ClientDetectionRequest");

            assertThat(client.streamEnd())
                    .succeedsWithin(PATIENCE)
                    .extracting(Status::getCode)
                    .isEqualTo(Status.Code.OK);

            await().until(() -> strictMeters.listens() == 0 && strictMeters.connections() == 0);
            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("errorCode")
                            .asInt())
                    .isEqualTo(301);
        }
    }

    @Test
    void theTransportOfASilentClientIsClosedAfterItsStreamHasEnded() {
        try (RawHttp2 client =
                RawHttp2.connect(strict.server().grpcPort()).start().setUp(1)) {
            client.await(RawHttp2.DATA, PATIENCE);
            RawHttp2.Frame detection = client.await(RawHttp2.DATA, PATIENCE);
            assertThat(new String(detection.payload(), StandardCharsets.ISO_8859_1))
                    .contains("ClientDetectionRequest");

            RawHttp2.Frame trailers = client.await(RawHttp2.HEADERS, PATIENCE);

            assertThat(trailers.flags() & RawHttp2.END_STREAM).isEqualTo(RawHttp2.END_STREAM);
            client.awaitEndLikeARightClient(PATIENCE);
        }
    }

    @Test
    void sendsNoDetectionToAnActiveClient() {
        try (WireClient client = newClient()) {
            await().pollInterval(SILENCE.dividedBy(5))
                    .during(SILENCE.multipliedBy(5).dividedBy(2))
                    .until(() -> client.request("HealthCheckRequest", "{}")
                                    .path("success")
                                    .asBoolean()
                            && isNotAsked(client));
        }
    }

    /** As nacos_rust_client does; it answers no detection. */
    @Test
    void doesNotDetectClientThatChecksTheServer() {
        try (WireClient client = newClient()) {
            await().pollInterval(SILENCE.dividedBy(5))
                    .during(SILENCE.multipliedBy(5).dividedBy(2))
                    .until(() -> client.request("ServerCheckRequest", "{}")
                                    .path("success")
                                    .asBoolean()
                            && isNotAsked(client));
        }
    }

    @Test
    void doesNotDetectClientThatChecksHealthOnTheStream() {
        try (WireClient client = newClient()) {
            await().pollInterval(SILENCE.dividedBy(5))
                    .during(SILENCE.multipliedBy(5).dividedBy(2))
                    .until(() -> {
                        client.push("HealthCheckRequest", "{}");
                        return isNotAsked(client) && !client.streamEnd().isDone();
                    });
        }
    }

    /** Since the last look; where this machine paused for that long the server asked with good reason. */
    private static boolean isNotAsked(WireClient client) {
        return client.pushes().drainTo(new ArrayList<>()) == 0;
    }

    @Test
    void keepsAClientThatSendsARequestInsteadOfAReply() {
        try (WireClient client = newClient()) {
            client.acknowledge(push -> false);
            for (int i = 0; i < 2; i++) {
                assertThat(client.nextPush().type()).isEqualTo("ClientDetectionRequest");
                assertThat(client.request("HealthCheckRequest", "{}")
                                .path("success")
                                .asBoolean())
                        .isTrue();
            }
            assertThat(client.streamEnd()).isNotDone();
        }
    }

    @Test
    void manySilentClientsAreAllFoundOut() {
        List<RawHttp2> clients = Stream.generate(() ->
                        RawHttp2.connect(strict.server().grpcPort()).start().setUp(1))
                .limit(100)
                .toList();
        // It is told that it is set up; the first ones may be found out before the last one is.
        clients.forEach(client -> client.await(RawHttp2.DATA, PATIENCE));

        await().until(() -> strictMeters.connections() == 0);

        clients.forEach(client -> client.awaitEndLikeARightClient(PATIENCE));
        clients.forEach(RawHttp2::close);
    }
}

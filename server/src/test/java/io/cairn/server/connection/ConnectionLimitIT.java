package io.cairn.server.connection;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Meters;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawHttp2;
import io.grpc.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ConnectionLimitIT {

    private static final String SETUP = "{\"labels\":{\"module\":\"config\"},\"abilityTable\":{}}";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary().with("cairn.connections.max", "2");

    private final Meters meters = new Meters(cairn);

    @BeforeEach
    void awaitTheEndOfFormerConnections() {
        await().until(() -> meters.connections() == 0);
    }

    @Test
    void closesAConnectionOverTheLimitAndAcceptsItOnceThereIsRoom() {
        try (WireClient first = cairn.newClient();
                WireClient second = cairn.newClient();
                WireClient third = cairn.newTransport();
                WireClient later = cairn.newTransport()) {
            third.push("ConnectionSetupRequest", SETUP);

            assertThat(third.streamEnd())
                    .succeedsWithin(PATIENCE)
                    .extracting(Status::getCode)
                    .isEqualTo(Status.Code.OK);
            assertThat(third.pushes()).isEmpty();
            assertThat(meters.connections()).isEqualTo(2);
            assertThat(first.publish("limit", "a: 1").path("success").asBoolean())
                    .isTrue();

            second.close();
            await().until(() -> meters.connections() == 1);
            later.push("ConnectionSetupRequest", SETUP);

            assertThat(later.nextPush().type()).isEqualTo("SetupAckRequest");
            assertThat(later.query("limit").path("content").asString()).isEqualTo("a: 1");
        }
    }

    @Test
    void theTransportOfOneTooManyIsClosed() {
        try (WireClient first = cairn.newClient();
                WireClient second = cairn.newClient();
                RawHttp2 third = RawHttp2.connect(cairn.server().grpcPort()).start()) {
            third.setUp(1);

            third.awaitEndLikeARightClient(PATIENCE);

            assertThat(first.streamEnd()).isNotDone();
            assertThat(second.streamEnd()).isNotDone();
        }
    }
}

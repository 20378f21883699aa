package io.cairn.server.connection;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ConnectResetIT {

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary();

    private final ConnectionRegistry registry = cairn.part(ConnectionRegistry.class);

    @BeforeEach
    void awaitTheEndOfFormerConnections() {
        await().until(() -> registry.size() == 0);
    }

    @Test
    void resetNamesTheOtherServer() {
        try (WireClient client = cairn.newClient()) {
            String connectionId = client.request("ServerCheckRequest", "{}")
                    .path("connectionId")
                    .asString();

            registry.reset(onlyConnection(), "10.0.0.7", 8848, MoveReason.OPERATOR);

            Payload push = client.nextPush();
            assertThat(push.type()).isEqualTo("ConnectResetRequest");
            String requestId = WireClient.tree(push).path("requestId").asString();
            assertThat(push.bodyText())
                    .isEqualTo("{\"headers\":{},\"requestId\":\"" + requestId
                            + "\",\"serverIp\":\"10.0.0.7\",\"serverPort\":\"8848\",\"connectionId\":\"" + connectionId
                            + "\",\"module\":\"internal\"}");
        }
    }

    @Test
    void asksAllClientsOfATransport() {
        try (WireClient naming = cairn.newTransport();
                WireClient configs = naming.sharingItsTransport()) {
            naming.setUpAs("naming");
            configs.setUpAs("config");

            registry.reset(onlyConnection(), "", 8848, MoveReason.OPERATOR);

            assertThat(naming.nextPush().type()).isEqualTo("ConnectResetRequest");
            assertThat(configs.nextPush().type()).isEqualTo("ConnectResetRequest");
        }
    }

    @Test
    void theConnectionStaysOpenUntilItsClientClosesIt() {
        try (WireClient client = cairn.newClient();
                WireClient next = cairn.newTransport()) {
            registry.reset(onlyConnection(), "", 8848, MoveReason.OPERATOR);
            client.nextPush(); // acknowledged by itself

            // As the Java client does it: first the new connection, then the old stream's end.
            next.setUp();
            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("success")
                            .asBoolean())
                    .isTrue();
            client.halfClose();

            assertThat(client.streamEnd()).succeedsWithin(PATIENCE);
            // The connection is removed after its stream has ended.
            await().until(() -> registry.size() == 1);
        }
    }

    @Test
    void aConnectionShowsItsClient() {
        try (WireClient client = cairn.newTransport()) {
            client.push(
                    "ConnectionSetupRequest",
                    "{\"clientVersion\":\"Nacos-Java-Client:v2.5.1\",\"tenant\":\"dev\","
                            + "\"labels\":{\"source\":\"sdk\",\"AppName\":\"orders\"},\"abilityTable\":{}}");
            client.nextPush();

            ClientIdentity identity = onlyConnection().identity();

            assertThat(identity)
                    .isEqualTo(new ClientIdentity(
                            "127.0.0.1",
                            "Nacos-Java-Client:v2.5.1",
                            "dev",
                            Map.of("source", "sdk", "AppName", "orders")));
        }
    }

    private ClientConnection onlyConnection() {
        assertThat(registry.connections()).hasSize(1);
        return registry.connections().iterator().next();
    }
}

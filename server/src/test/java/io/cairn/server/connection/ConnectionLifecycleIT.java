package io.cairn.server.connection;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Meters;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawHttp2;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ConnectionLifecycleIT {

    private static final String REGISTRATION = """
            {"namespace":"public","serviceName":"shared","groupName":"DEFAULT_GROUP","type":"registerInstance",\
            "instance":{"ip":"10.0.0.1","port":80,"weight":1.0,"healthy":true,"enabled":true,"ephemeral":true,\
            "clusterName":"DEFAULT","metadata":{}}}""";
    private static final String SUBSCRIPTION = """
            {"namespace":"public","serviceName":"shared","groupName":"DEFAULT_GROUP","subscribe":true}""";
    private static final String SETUP_NEGOTIATING = """
            {"headers":{},"clientVersion":"Nacos-Java-Client:v2.5.1","tenant":"",\
            "labels":{"source":"sdk","module":"config"},"abilityTable":{},"module":"internal"}""";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private final Meters meters = new Meters(cairn);

    @BeforeEach
    void awaitTheEndOfFormerConnections() {
        await().until(() -> meters.connections() == 0);
        await().until(() -> meters.listens() == 0);
    }

    @Test
    void theServerCheckIsAnsweredBeforeAnySetUpAndNamesTheTransport() {
        try (WireClient client = cairn.newTransport();
                WireClient other = cairn.newTransport()) {
            JsonNode answer = client.request("ServerCheckRequest", "{\"headers\":{},\"module\":\"internal\"}");

            assertThat(answer.toString())
                    .isEqualTo("{\"resultCode\":200,\"errorCode\":0,\"connectionId\":\""
                            + answer.path("connectionId").asString()
                            + "\",\"supportAbilityNegotiation\":true,\"success\":true}");
            assertThat(answer.path("connectionId").asString()).matches("\\d{13}_127\\.0\\.0\\.1_\\d{1,5}");
            assertThat(client.request("ServerCheckRequest", "{}").path("connectionId"))
                    .isEqualTo(answer.path("connectionId"));
            assertThat(other.request("ServerCheckRequest", "{}").path("connectionId"))
                    .isNotEqualTo(answer.path("connectionId"));
            client.setUp();
            assertThat(client.request("ServerCheckRequest", "{}").path("connectionId"))
                    .isEqualTo(answer.path("connectionId"));
        }
    }

    @Test
    void answersServerCheckWithoutBody() {
        try (WireClient client = cairn.newTransport()) {
            assertThat(client.request("ServerCheckRequest", "").path("success").asBoolean())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HealthCheckRequest",
                "ConfigQueryRequest",
                "ConfigPublishRequest",
                "ConfigRemoveRequest",
                "ConfigBatchListenRequest"
            })
    void aRequestBeforeTheSetupIsRefusedWithAnyBody(String type) {
        try (WireClient client = cairn.newTransport()) {
            for (String body : List.of("{\"dataId\":\"a\",\"group\":\"b\",\"content\":\"c\"}", "{}", "no JSON", "")) {
                assertError(client.call(WireClient.payload(type, body)), 301, "Connection is unregistered.");
            }
        }
        assertThat(meters.configs()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NoSuchRequest",
                "ConfigQueryResponse",
                "ConfigChangeNotifyRequest",
                "ClientDetectionRequest",
                "ConnectResetRequest",
                "SetupAckRequest",
                "ConnectionSetupRequest",
                "ServerCheckResponse",
                "configqueryrequest",
                ""
            })
    void aTypeThatIsNoRequestHasNoHandlerBeforeAndAfterTheSetUp(String type) {
        try (WireClient client = cairn.newTransport()) {
            Payload request = WireClient.payload(type, "{\"dataId\":\"a\",\"group\":\"b\"}");
            assertError(client.call(request), 302, "RequestHandler Not Found");

            client.setUp();

            assertError(client.call(request), 302, "RequestHandler Not Found");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MemberReportRequest",
                "DistroDataRequest",
                "ConfigChangeClusterSyncRequest",
                "ServerReloadRequest",
                "ServerLoaderInfoRequest"
            })
    void aTypeOfServersAmongThemselvesIsForbiddenToClients(String type) {
        try (WireClient client = cairn.newTransport()) {
            Payload request = WireClient.payload(type, "{}");
            assertError(client.call(request), 502, " invoke " + type + " from sdk is forbidden");

            client.setUp();

            assertError(client.call(request), 502, " invoke " + type + " from sdk is forbidden");
        }
    }

    private static void assertError(Payload answer, int code, String message) {
        assertThat(answer.type()).isEqualTo("ErrorResponse");
        assertThat(answer.bodyText())
                .isEqualTo("{\"resultCode\":500,\"errorCode\":" + code + ",\"message\":\"" + message
                        + "\",\"success\":false}");
    }

    @Test
    void sendsTheServersAbilitiesToAClientThatNegotiates() {
        try (WireClient client = cairn.newTransport()) {
            client.push("ConnectionSetupRequest", SETUP_NEGOTIATING);

            Payload acknowledgement = client.nextPush();

            assertThat(acknowledgement.type()).isEqualTo("SetupAckRequest");
            JsonNode body = WireClient.tree(acknowledgement);
            assertThat(body.path("abilityTable").isObject()).isTrue();
            assertThat(body.has("requestId"))
                    .as("a request id, which would ask for an answer")
                    .isFalse();
            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("success")
                            .asBoolean())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"labels\":{\"module\":\"config\"}}",
                "{\"abilityTable\":null}",
                "{}",
                "{\"clientAbilities\":{\"remoteAbility\":{\"supportRemoteConnection\":true}},\"labels\":null,"
                        + "\"tenant\":null,\"clientVersion\":null,\"somethingNew\":[{}]}"
            })
    void sendsNoSetupAckToClientThatDoesNotNegotiate(String setUp) {
        try (WireClient client = cairn.newTransport()) {
            client.push("ConnectionSetupRequest", setUp);

            awaitSetUp(client);

            assertThat(client.listen("setup", "").path("success").asBoolean()).isTrue();
            assertThat(client.pushes()).isEmpty();
        }
    }

    /** Its SDK would take the answer 301 for a good one, and stay without a connection. */
    @Test
    void failsRequestsOfAPythonClientBeforeItsSetup() {
        try (WireClient client = cairn.newTransport("grpc-python-asyncio/1.85.1")) {
            assertThatExceptionOfType(StatusRuntimeException.class)
                    .isThrownBy(() -> client.request("HealthCheckRequest", "{}"))
                    .satisfies(
                            failure -> assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
            assertThat(client.request("ConfigQueryRequest", "{\"dataId\":\"a\",\"group\":\"b\"}")
                            .path("errorCode")
                            .asInt())
                    .isEqualTo(301);

            client.setUp();

            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("resultCode")
                            .asInt())
                    .isEqualTo(200);
        }
    }

    @Test
    void skipsAnUnreadableSetupAndAcceptsTheNext() {
        try (WireClient client = cairn.newTransport()) {
            client.push("ConnectionSetupRequest", "{\"labels\":17}");
            client.push("ConnectionSetupRequest", "not JSON");
            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("errorCode")
                            .asInt())
                    .isEqualTo(301);

            client.push("ConnectionSetupRequest", SETUP_NEGOTIATING);

            assertThat(client.nextPush().type()).isEqualTo("SetupAckRequest");
        }
    }

    @Test
    void aSecondSetUpIsAcknowledgedAgainAndLeavesTheListensAlone() {
        try (WireClient client = cairn.newTransport();
                WireClient writer = cairn.newClient()) {
            client.push("ConnectionSetupRequest", SETUP_NEGOTIATING);
            assertThat(client.nextPush().type()).isEqualTo("SetupAckRequest");
            client.listen("second-setup", "");

            client.push("ConnectionSetupRequest", SETUP_NEGOTIATING);

            assertThat(client.nextPush().type()).isEqualTo("SetupAckRequest");
            assertThat(meters.connections()).isEqualTo(2);
            writer.publish("second-setup", "a: 1");
            assertThat(client.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");
            writer.remove("second-setup");
        }
    }

    @Test
    void healthChecksOnTheStreamAreToleratedWithoutAnAnswer() {
        try (WireClient client = cairn.newTransport();
                WireClient writer = cairn.newClient()) {
            client.push("HealthCheckRequest", "{}"); // even before the set-up
            client.push("ConnectionSetupRequest", SETUP_NEGOTIATING);
            assertThat(client.nextPush().type()).isEqualTo("SetupAckRequest");
            client.listen("stream-health", "");
            for (int i = 0; i < 10; i++) {
                client.push("HealthCheckRequest", "{\"headers\":{},\"requestId\":\"" + i + "\"}");
                client.push("NoSuchRequest", "not JSON");
            }

            writer.publish("stream-health", "a: 1");

            // The first thing to come is what was published after all of them.
            assertThat(client.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(client.streamEnd()).isNotDone();
            writer.remove("stream-health");
        }
    }

    @Test
    void aHalfCloseEndsTheStreamWellAndUnregistersTheConnection() {
        try (WireClient client = cairn.newClient()) {
            client.listen("half-close", "");

            client.halfClose();

            assertThat(client.streamEnd())
                    .succeedsWithin(PATIENCE)
                    .extracting(Status::getCode)
                    .isEqualTo(Status.Code.OK);
            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("errorCode")
                            .asInt())
                    .isEqualTo(301);
            assertThat(meters.listens()).isZero();
            assertThat(meters.connections()).isZero();
        }
    }

    @Test
    void acceptsRepeatedSetupOnTheSameTransport() {
        try (RawHttp2 client = RawHttp2.connect(cairn.server().grpcPort()).start()) {
            client.setUp(1);
            client.await(RawHttp2.DATA, PATIENCE);
            client.send(RawHttp2.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, new byte[0]));
            await().until(() -> meters.connections() == 0);

            client.setUp(3);

            client.await(RawHttp2.DATA, PATIENCE);
            assertThat(meters.connections()).isOne();
        }
    }

    @Test
    void aSecondStreamOnATransportBelongsToTheSameConnection() {
        try (WireClient naming = cairn.newTransport();
                WireClient configs = naming.sharingItsTransport()) {
            naming.setUpAs("naming");
            naming.request("InstanceRequest", REGISTRATION);
            naming.request("SubscribeServiceRequest", SUBSCRIPTION);

            configs.setUpAs("config");

            configs.listen("shared-transport", "");
            assertThat(meters.connections()).isOne();
            configs.publish("shared-transport", "a: 1");
            assertThat(configs.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");
            naming.request("InstanceRequest", REGISTRATION.replace("\"weight\":1.0", "\"weight\":2.0"));
            // Also the first one, after the registration.
            await().until(() -> naming.nextPush().bodyText().contains("\"weight\":2.0"));
            assertThat(naming.pushes()).isEmpty();
            assertThat(configs.pushes()).isEmpty();

            configs.halfClose();

            assertThat(configs.streamEnd()).succeedsWithin(PATIENCE);
            assertThat(meters.connections()).isOne();
            assertThat(naming.request("HealthCheckRequest", "{}")
                            .path("success")
                            .asBoolean())
                    .isTrue();
            naming.remove("shared-transport");
        }
    }

    @Test
    void aConnectionEndsWithTheLastOfItsStreams() {
        try (WireClient naming = cairn.newTransport();
                WireClient configs = naming.sharingItsTransport();
                WireClient namingAnew = naming.sharingItsTransport()) {
            naming.setUpAs("naming");
            configs.setUpAs("config");
            naming.request("InstanceRequest", REGISTRATION);
            naming.request("SubscribeServiceRequest", SUBSCRIPTION);
            configs.listen("outlives-the-first", "");

            naming.halfClose();

            assertThat(naming.streamEnd())
                    .succeedsWithin(PATIENCE)
                    .extracting(Status::getCode)
                    .isEqualTo(Status.Code.OK);
            assertThat(meters.connections()).isOne();
            // Nobody is left who could be told of the service; the configuration still is somebody's.
            configs.request("InstanceRequest", REGISTRATION.replace("\"weight\":1.0", "\"weight\":2.0"));
            configs.publish("outlives-the-first", "a: 1");
            assertThat(configs.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(configs.pushes()).isEmpty();

            namingAnew.setUpAs("naming");
            configs.halfClose();
            assertThat(configs.streamEnd()).succeedsWithin(PATIENCE);
            namingAnew.request("InstanceRequest", REGISTRATION.replace("\"weight\":1.0", "\"weight\":3.0"));
            await().until(() -> namingAnew.nextPush().bodyText().contains("\"weight\":3.0"));
            namingAnew.remove("outlives-the-first");
            assertThat(meters.connections()).isOne();

            namingAnew.halfClose();
            assertThat(namingAnew.streamEnd()).succeedsWithin(PATIENCE);
            await().until(() -> meters.connections() == 0);
            assertThat(naming.request("HealthCheckRequest", "{}")
                            .path("errorCode")
                            .asInt())
                    .isEqualTo(301);
        }
    }

    @Test
    void anAbruptEndOfTheTransportTakesItsListensAway() {
        RawHttp2 client = RawHttp2.connect(cairn.server().grpcPort()).start().setUp(1);
        client.call(3, listenTo(20, "abrupt"));
        await().until(() -> meters.listens() == 20);

        client.reset();

        await().until(() -> meters.listens() == 0);
        assertThat(meters.connections()).isZero();
    }

    @Test
    void manyShortConnectionsLeaveNoState() {
        List<RawHttp2> clients = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            RawHttp2 client =
                    RawHttp2.connect(cairn.server().grpcPort()).start().setUp(1);
            // Half of the keys are everybody's, half are one's own.
            client.call(3, listenTo(10, "everybody")).call(5, listenTo(10, "own-" + i));
            clients.add(client);
        }
        await().until(() -> meters.listens() == 500 * 20);
        assertThat(meters.connections()).isEqualTo(500);

        for (int i = 0; i < clients.size(); i++) {
            switch (i % 3) {
                case 0 -> clients.get(i).reset();
                case 1 -> clients.get(i).close();
                default -> clients.get(i).send(RawHttp2.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, new byte[0]));
            }
        }

        await().until(() -> meters.connections() == 0);
        await().until(() -> meters.listens() == 0);
        clients.forEach(RawHttp2::close);
    }

    private static Payload listenTo(int configs, String prefix) {
        return WireClient.payload(
                "ConfigBatchListenRequest",
                IntStream.range(0, configs)
                        .mapToObj(i ->
                                "{\"dataId\":\"" + prefix + '-' + i + "\",\"group\":\"DEFAULT_GROUP\",\"md5\":\"\"}")
                        .collect(Collectors.joining(",", "{\"listen\":true,\"configListenContexts\":[", "]}")));
    }

    private static void awaitSetUp(WireClient client) {
        await().until(() ->
                client.request("HealthCheckRequest", "{}").path("success").asBoolean());
    }
}

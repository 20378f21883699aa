package io.cairn.server.rpc;

import static io.cairn.testing.Patience.PATIENCE;
import static io.cairn.testing.WireBytes.concat;
import static io.cairn.testing.WireBytes.delimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Gauge;
import io.cairn.server.support.WireClient;
import io.grpc.CallOptions;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** gRPC messages that the recorded samples do not contain: sizes, forms and spellings at the limits. */
class GrpcEdgeIT {

    private static final int TEN_MEGABYTES = 10 * 1024 * 1024;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The same methods, with arbitrary bytes as messages. */
    private static final MethodDescriptor<byte[], byte[]> BARE_REQUEST =
            WireMethods.REQUEST.toBuilder(new Bytes(), new Bytes()).build();

    private static final MethodDescriptor<byte[], byte[]> BARE_STREAM =
            WireMethods.BI_STREAM.toBuilder(new Bytes(), new Bytes()).build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void refusesAMessageOverTheLimitAndKeepsTheConnection() {
        try (WireClient client = cairn.newClient()) {
            client.publish("big.txt", "before");

            assertThatThrownBy(() -> client.publish("big.txt", "x".repeat(TEN_MEGABYTES)))
                    .isInstanceOfSatisfying(StatusRuntimeException.class, failure -> {
                        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                        assertThat(failure.getStatus().getDescription())
                                .startsWith("gRPC message exceeds maximum size 10485760: ")
                                .endsWith(" (limit message-bytes,"
                                        + " nacos.remote.server.grpc.sdk.max-inbound-message-size)");
                    });

            // The same transport, still registered.
            assertThat(client.query("big.txt").path("content").asString()).isEqualTo("before");
        }
    }

    @Test
    void publishesAndReadsAContentJustBelowTheLimit() {
        String content = "x".repeat(TEN_MEGABYTES - 4096);
        try (WireClient client = cairn.newClient()) {
            assertThat(client.publish("largest.txt", content).path("success").asBoolean())
                    .isTrue();

            Payload answer = client.call(WireClient.payload(
                    "ConfigQueryRequest", "{\"dataId\":\"largest.txt\",\"group\":\"DEFAULT_GROUP\"}"));

            // The limit of all clients.
            assertThat(answer.encodedLength()).isLessThanOrEqualTo(TEN_MEGABYTES);
            JsonNode body = WireClient.tree(answer);
            assertThat(body.path("content").asString()).isEqualTo(content);
            assertThat(body.path("md5").asString())
                    .isEqualTo(ContentDigest.of(content).toString());
        }
    }

    @Test
    void refusesAContentWhoseResponseWouldBeTooLarge() {
        try (WireClient client = cairn.newClient()) {
            client.publish("escaped.txt", "before");

            // The request still fits, but the response has more fields than the request.
            JsonNode refused = client.publish("escaped.txt", "\"".repeat(TEN_MEGABYTES / 2 - 512));

            assertThat(refused.path("errorCode").asInt()).isEqualTo(400);
            assertThat(refused.path("message").asString()).contains("over 10485760");
            assertThat(client.query("escaped.txt").path("content").asString()).isEqualTo("before");
        }
    }

    @Test
    void answersAListOfThreeThousandConfigurations() {
        ObjectNode listen = JSON.createObjectNode().put("listen", true);
        ArrayNode contexts = listen.putArray("configListenContexts");
        for (int i = 0; i < 3_000; i++) {
            contexts.addObject()
                    .put("dataId", "list-" + i)
                    .put("group", "A_GROUP_WITH_A_NAME_OF_SOME_LENGTH")
                    .put("tenant", "development")
                    .put("md5", i % 2 == 0 ? "" : "d41d8cd98f00b204e9800998ecf8427e");
        }
        try (WireClient client = cairn.newClient()) {
            JsonNode answer = client.request("ConfigBatchListenRequest", listen.toString());

            assertThat(answer.path("success").asBoolean()).isTrue();
            assertThat(answer.path("changedConfigs")).hasSize(1_500);
            assertThat(answer.path("changedConfigs").get(1_499).path("dataId").asString())
                    .isEqualTo("list-2999");
        }
    }

    @Test
    void reportsBytesThatAreNotAnEnvelope() {
        try (WireClient client = cairn.newClient()) {
            for (byte[] bytes : new byte[][] {{0x12}, {0x12, 0x7f, 1}, {-1, -1, -1, -1, -1}, {0x0b}}) {
                Payload answer = Payload.read(
                        ClientCalls.blockingUnaryCall(client.channel(), BARE_REQUEST, CallOptions.DEFAULT, bytes));

                assertThat(answer.type()).isEqualTo("ErrorResponse");
                assertThat(WireClient.tree(answer).path("errorCode").asInt()).isEqualTo(502);
            }
            assertThat(healthy(client)).isTrue();
        }
    }

    @Test
    void anEmptyMessageHasNoHandler() {
        try (WireClient client = cairn.newClient()) {
            Payload answer = Payload.read(
                    ClientCalls.blockingUnaryCall(client.channel(), BARE_REQUEST, CallOptions.DEFAULT, new byte[0]));

            assertThat(WireClient.tree(answer).path("errorCode").asInt()).isEqualTo(302);
        }
    }

    @Test
    void ignoresATypeUrlAndUnknownFields() {
        byte[] type = delimited(3, "HealthCheckRequest");
        byte[] unknown = delimited(19, "from a later version");
        byte[] body = concat(delimited(1, "HealthCheckRequest"), delimited(2, "{}"), delimited(9, "x"));
        byte[] message = concat(delimited(1, "x"), delimited(2, concat(unknown, type, unknown)), delimited(3, body));
        try (WireClient client = cairn.newClient()) {
            Payload answer = Payload.read(
                    ClientCalls.blockingUnaryCall(client.channel(), BARE_REQUEST, CallOptions.DEFAULT, message));

            assertThat(answer.type()).isEqualTo("HealthCheckResponse");
            assertThat(WireClient.tree(answer).path("success").asBoolean()).isTrue();
        }
    }

    @Test
    void skipsUnreadableMessagesOnTheStream() throws Exception {
        try (WireClient client = cairn.newTransport()) {
            CompletableFuture<Payload> firstPush = new CompletableFuture<>();
            StreamObserver<byte[]> stream = ClientCalls.asyncBidiStreamingCall(
                    client.channel().newCall(BARE_STREAM, CallOptions.DEFAULT), new FirstMessage(firstPush));
            stream.onNext(new byte[] {0x12, 0x7f});
            stream.onNext(new byte[0]);
            stream.onNext(message("ConnectionSetupRequest", "{broken"));
            stream.onNext(message("ConnectionSetupRequest", "{\"labels\":[]}"));
            stream.onNext(message("ConfigChangeNotifyResponse", "{broken"));
            stream.onNext(message("ConnectionSetupRequest", "{\"clientVersion\":\"test\",\"abilityTable\":{}}"));

            assertThat(firstPush.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).type())
                    .isEqualTo("SetupAckRequest");
            assertThat(healthy(client)).isTrue();
            stream.onNext(message("ConfigChangeNotifyResponse", "[]"));
            stream.onNext(message("NoSuchThing", "{}"));
            assertThat(healthy(client)).isTrue();
        }
    }

    @Test
    void aUnaryCallHasExactlyOneMessage() {
        try (WireClient client = cairn.newClient()) {
            for (int messages : new int[] {0, 2, 3}) {
                CompletableFuture<Payload> answer = new CompletableFuture<>();
                StreamObserver<byte[]> call = ClientCalls.asyncClientStreamingCall(
                        client.channel()
                                .newCall(
                                        BARE_REQUEST.toBuilder()
                                                .setType(MethodDescriptor.MethodType.CLIENT_STREAMING)
                                                .build(),
                                        CallOptions.DEFAULT.withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)),
                        new FirstMessage(answer));
                for (int i = 0; i < messages; i++) {
                    call.onNext(message("HealthCheckRequest", "{}"));
                }
                call.onCompleted();

                assertThatThrownBy(() -> answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as("%s messages", messages)
                        .isInstanceOf(ExecutionException.class)
                        .hasMessageContaining("INVALID_ARGUMENT");
            }
            assertThat(healthy(client)).isTrue();
        }
    }

    @Test
    void anUnknownMethodIsUnimplemented() {
        MethodDescriptor<byte[], byte[]> unknown =
                BARE_REQUEST.toBuilder().setFullMethodName("Request/other").build();
        try (WireClient client = cairn.newClient()) {
            assertThatThrownBy(() ->
                            ClientCalls.blockingUnaryCall(client.channel(), unknown, CallOptions.DEFAULT, new byte[0]))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageContaining("UNIMPLEMENTED");
            assertThat(healthy(client)).isTrue();
        }
    }

    @Test
    void acceptsCompressedRequests() {
        try (WireClient client = cairn.newClient()) {
            Payload answer = ClientCalls.blockingUnaryCall(
                    client.channel(),
                    WireMethods.REQUEST,
                    CallOptions.DEFAULT.withCompression("gzip"),
                    WireClient.payload("HealthCheckRequest", "{\"padding\":\"" + "x".repeat(10_000) + "\"}"));

            assertThat(answer.type()).isEqualTo("HealthCheckResponse");
        }
    }

    @Test
    void refusesAMessageOverTheLimitAfterDecompressionAndKeepsTheConnection() {
        try (WireClient client = cairn.newClient()) {
            Payload answer = ClientCalls.blockingUnaryCall(
                    client.channel(),
                    WireMethods.REQUEST,
                    CallOptions.DEFAULT.withCompression("gzip"),
                    WireClient.payload(
                            "HealthCheckRequest", "{\"padding\":\"" + "x".repeat(4 * TEN_MEGABYTES) + "\"}"));

            assertThat(WireClient.tree(answer).path("errorCode").asInt()).isEqualTo(502);
            assertThat(healthy(client)).isTrue();
        }
    }

    @Test
    void aMessageFalselyMarkedAsCompressedFailsAlone() {
        CompressorRegistry liar = CompressorRegistry.newEmptyInstance();
        liar.register(new Compressor() {
            @Override
            public String getMessageEncoding() {
                return "gzip";
            }

            @Override
            public OutputStream compress(OutputStream out) {
                return out;
            }
        });
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", cairn.server().grpcPort())
                .usePlaintext()
                .compressorRegistry(liar)
                .build();
        try {
            assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(
                            channel,
                            WireMethods.REQUEST,
                            CallOptions.DEFAULT.withCompression("gzip"),
                            WireClient.payload("ServerCheckRequest", "{}")))
                    .isInstanceOf(StatusRuntimeException.class);

            Payload answer = ClientCalls.blockingUnaryCall(
                    channel, WireMethods.REQUEST, CallOptions.DEFAULT, WireClient.payload("ServerCheckRequest", "{}"));
            assertThat(WireClient.tree(answer).path("success").asBoolean()).isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void notifiesEachListenerInItsSpellingOfTheDefaultNamespace() {
        try (WireClient without = cairn.newClient();
                WireClient blank = cairn.newClient();
                WireClient spelledOut = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            listen(without, "spelled.txt", null);
            listen(blank, "spelled.txt", "");
            listen(spelledOut, "spelled.txt", "public");

            writer.publish("spelled.txt", "v1");

            assertThat(WireClient.tree(without.nextPush()).has("tenant")).isFalse();
            assertThat(WireClient.tree(blank.nextPush()).has("tenant")).isFalse();
            assertThat(WireClient.tree(spelledOut.nextPush()).path("tenant").asString())
                    .isEqualTo("public");
        }
    }

    @Test
    void doesNotNotifyAClientThatStoppedListening() {
        try (WireClient client = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            listen(client, "stopped.txt", "");
            listen(client, "kept.txt", "");
            // Spelling and digest differ; the configuration is the same.
            JsonNode stopped = client.request(
                    "ConfigBatchListenRequest",
                    "{\"listen\":false,\"configListenContexts\":[{\"dataId\":\"stopped.txt\",\"group\":\"DEFAULT_GROUP\","
                            + "\"tenant\":\"public\",\"md5\":\"x\"},{\"dataId\":\"never.txt\",\"group\":\"DEFAULT_GROUP\"}]}");
            assertThat(stopped.path("changedConfigs")).isEmpty();

            writer.publish("stopped.txt", "v1");
            writer.publish("kept.txt", "v1");

            assertThat(client.nextChange()).isEqualTo("kept.txt");
        }
    }

    @Test
    void aListWithOneInvalidNameRegistersNothing() {
        try (WireClient client = cairn.newClient()) {
            Gauge listens = new Gauge(cairn, "cairn.config.listens");
            // Those of former clients are gone.
            listens.awaitValue(0);

            JsonNode refused = client.request(
                    "ConfigBatchListenRequest",
                    "{\"configListenContexts\":[{\"dataId\":\"good\",\"group\":\"G\"},{\"dataId\":\"b ad\",\"group\":\"G\"}]}");

            assertThat(refused.path("errorCode").asInt()).isEqualTo(400);
            assertThat(refused.path("message").asString()).startsWith("Param check invalid:Param 'dataId' is illegal");
            assertThat(refused.path("changedConfigs").isArray()).isTrue();
            assertThat(listens.value()).isZero();
        }
    }

    @Test
    void anAcknowledgementWithoutRequestIdCountsForTheOldestPush() {
        Gauge acknowledged = new Gauge(cairn, "cairn.push.latency");
        try (WireClient node = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            node.acknowledge(push -> false);
            listen(node, "node.txt", "");
            int before = acknowledged.value();
            writer.publish("node.txt", "v1");
            assertThat(node.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");

            node.push("ConfigChangeNotifyResponse", "{\"resultCode\":200,\"errorCode\":0}");

            acknowledged.awaitValue(before + 1);
        }
    }

    @Test
    void acceptsTheTypeOfAPublishAtTheTopLevel() {
        try (WireClient node = cairn.newClient()) {
            node.request(
                    "ConfigPublishRequest",
                    "{\"dataId\":\"top\",\"group\":\"DEFAULT_GROUP\",\"content\":\"{}\",\"type\":\"json\"}");

            assertThat(node.query("top").path("contentType").asString()).isEqualTo("json");
        }
    }

    @Test
    void theDigestOfUnicodeEqualsThatOfTheClient() {
        try (WireClient client = cairn.newClient()) {
            String content = "中 é 😀 \u0000 \u2028";
            client.publish("unicode.txt", content);
            JsonNode answer = client.query("unicode.txt");
            assertThat(answer.path("content").asString()).isEqualTo(content);
            assertThat(answer.path("md5").asString())
                    .isEqualTo(ContentDigest.of(content).toString());

            // Half a surrogate pair has no encoding in UTF-8.
            JsonNode refused = client.request(
                    "ConfigPublishRequest",
                    "{\"dataId\":\"unicode.txt\",\"group\":\"DEFAULT_GROUP\",\"content\":\"half \\ud83d\"}");
            assertThat(refused.path("success").asBoolean()).isFalse();
            assertThat(refused.path("message").asString()).contains("content: \\uD83D alone at character 5");
            assertThat(client.query("unicode.txt").path("content").asString()).isEqualTo(content);
        }
    }

    @Test
    void refusesNamesThatNacosRefusesInTheResponseTypeOfTheRequest() {
        try (WireClient client = cairn.newClient()) {
            for (String name : new String[] {"a/b", "a b", "中", "", " ", "x".repeat(257)}) {
                for (String request : new String[] {"ConfigQuery", "ConfigPublish", "ConfigRemove"}) {
                    ObjectNode body = JSON.createObjectNode()
                            .put("dataId", name)
                            .put("group", "G")
                            .put("content", "c");
                    Payload answer = client.call(WireClient.payload(request + "Request", body.toString()));
                    assertThat(answer.type()).isEqualTo(request + "Response");
                    JsonNode refused = WireClient.tree(answer);
                    assertThat(refused.path("success").asBoolean()).isFalse();
                    assertThat(refused.path("resultCode").asInt()).isEqualTo(500);
                    assertThat(refused.path("message").asString()).contains("dataId");
                }
            }
        }
    }

    private static void listen(WireClient client, String dataId, String tenant) {
        ObjectNode listen = JSON.createObjectNode();
        ObjectNode context = listen.putArray("configListenContexts")
                .addObject()
                .put("dataId", dataId)
                .put("group", "DEFAULT_GROUP");
        if (tenant != null) {
            context.put("tenant", tenant);
        }
        assertThat(client.request("ConfigBatchListenRequest", listen.toString()).path("changedConfigs"))
                .isEmpty();
    }

    private static boolean healthy(WireClient client) {
        return client.request("HealthCheckRequest", "{}").path("success").asBoolean();
    }

    private static byte[] message(String type, String json) {
        return concat(delimited(2, delimited(3, type)), delimited(3, delimited(2, json)));
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private record FirstMessage(CompletableFuture<Payload> first) implements StreamObserver<byte[]> {

        @Override
        public void onNext(byte[] message) {
            first.complete(Payload.read(message));
        }

        @Override
        public void onError(Throwable failure) {
            first.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            first.completeExceptionally(new AssertionError("the call ended without a message"));
        }
    }
}

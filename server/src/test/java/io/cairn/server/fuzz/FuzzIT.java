package io.cairn.server.fuzz;

import static io.cairn.server.fuzz.Mutations.bytes;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Meters;
import io.cairn.server.support.Sockets;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.LogWatch;
import io.cairn.server.testing.RawHttp2;
import io.cairn.server.testing.RawSocket;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends invalid input of many kinds to both ports. After each round the server serves as before: stored data are
 * unchanged, no connection or poll is left open, and the log has no warning.
 */
@Tag("full")
class FuzzIT {

    private static final int SENTINELS = 5;
    private static final int MAX_MESSAGE = 10 * 1024 * 1024;
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final MethodDescriptor<byte[], byte[]> RAW_REQUEST =
            raw(MethodDescriptor.MethodType.UNARY, "Request/request");
    private static final MethodDescriptor<byte[], byte[]> RAW_STREAM =
            raw(MethodDescriptor.MethodType.BIDI_STREAMING, "BiRequestStream/requestBiStream");

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private static final ResourceLeakDetector.Level LEAK_LEVEL = ResourceLeakDetector.getLevel();
    private static LogWatch log;
    private static int generation;

    private final Meters meters = new Meters(cairn);

    @BeforeAll
    static void storeDataThatMustNotChange() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        log = new LogWatch();
        try (WireClient client = cairn.newClient()) {
            for (int i = 0; i < SENTINELS; i++) {
                client.publish("sentinel-" + i, "unchanged " + i);
            }
            client.publish("alive", "0");
        }
    }

    @AfterAll
    static void restore() {
        log.close();
        ResourceLeakDetector.setLevel(LEAK_LEVEL);
    }

    @AfterEach
    void theServerIsAsBefore() {
        try (WireClient client = cairn.newClient()) {
            String overGrpc = "grpc " + ++generation;
            assertThat(client.publish("alive", overGrpc).path("success").asBoolean())
                    .isTrue();
            assertThat(cairn.get("/v1/cs/configs?dataId=alive&group=DEFAULT_GROUP")
                            .body())
                    .isEqualTo(overGrpc);
            String overHttp = "http " + ++generation;
            assertThat(cairn.post(
                                    "/v1/cs/configs",
                                    Map.of("dataId", "alive", "group", "DEFAULT_GROUP", "content", overHttp))
                            .body())
                    .isEqualTo("true");
            assertThat(client.query("alive").path("content").asString()).isEqualTo(overHttp);
            for (int i = 0; i < SENTINELS; i++) {
                assertThat(client.query("sentinel-" + i).path("content").asString())
                        .isEqualTo("unchanged " + i);
            }
        }
        assertThat(meters.configs()).isEqualTo(SENTINELS + 1);
        await().untilAsserted(() -> assertThat(List.of(
                        meters.connections(),
                        meters.listens(),
                        meters.longPolls(),
                        meters.httpConnections(),
                        Sockets.heldBy(cairn.server().grpcPort())))
                .as("connections, listens, polls, HTTP connections, sockets of the gRPC port")
                .isEqualTo(List.of(0, 0, 0, 1, 0L)));
        assertThat(log.takeAlarms()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void randomBytesOnEitherPort(long seed) {
        Mutations mutations = new Mutations(seed);
        List<byte[]> beginnings = List.of(
                new byte[0],
                bytes("GET / HTTP/1.1\r\n"),
                bytes("POST /nacos/v1/cs/configs HTTP/1.1\r\nContent-Length: 100\r\n\r\n"),
                RawHttp2.preface(),
                join(RawHttp2.preface(), RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[0])),
                new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3}); // the beginning of a TLS handshake
        for (int i = 0; i < 150; i++) {
            byte[] garbage = join(mutations.any(beginnings), mutations.randomBytes(4_000));
            for (int port : List.of(cairn.server().grpcPort(), cairn.server().httpPort())) {
                try (RawSocket connection = RawSocket.connect(port)) {
                    connection.send(garbage);
                    if (mutations.random().nextInt(4) > 0) {
                        connection.end().readAll(PATIENCE);
                    }
                }
            }
        }
    }

    @Test
    void clientsOfTheOtherPort() {
        try (RawSocket http = RawSocket.connect(cairn.server().grpcPort());
                RawHttp2 grpc = RawHttp2.connect(cairn.server().httpPort())) {
            http.send("GET /nacos/v1/console/health/readiness HTTP/1.1\r\nHost: localhost\r\n\r\n");
            http.readAll(PATIENCE);
            try {
                grpc.start().setUp(1).shutdownOutput();
            } catch (UncheckedIOException e) {
                // The server closed the connection during the exchange, which is a valid reaction.
            }
            grpc.awaitEnd(PATIENCE);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void mutatedHttp2(long seed) {
        Mutations mutations = new Mutations(seed);
        byte[] right = conversation();
        for (int i = 0; i < 150; i++) {
            byte[] wrong = mutations.mutate(right);
            try (RawSocket connection = RawSocket.connect(cairn.server().grpcPort())) {
                connection.send(wrong);
                connection.end().readAll(PATIENCE);
            }
        }
    }

    /** The bytes of a valid client: a setup, a listen, a query, a ping, a window update. */
    private static byte[] conversation() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(RawHttp2.preface());
        all.writeBytes(RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, (byte) 0xff, (byte) 0xff}));
        all.writeBytes(RawHttp2.open(1, "/BiRequestStream/requestBiStream"));
        all.writeBytes(RawHttp2.frame(
                RawHttp2.DATA,
                0,
                1,
                RawHttp2.message(RawHttp2.encoded(WireClient.payload("ConnectionSetupRequest", SET_UP)))));
        int stream = 3;
        for (Map.Entry<String, String> message : Map.of(
                        "ConfigBatchListenRequest", LISTEN, "ConfigQueryRequest", QUERY, "HealthCheckRequest", "{}")
                .entrySet()) {
            all.writeBytes(RawHttp2.open(stream, "/Request/request"));
            all.writeBytes(RawHttp2.frame(
                    RawHttp2.DATA,
                    RawHttp2.END_STREAM,
                    stream,
                    RawHttp2.message(RawHttp2.encoded(WireClient.payload(message.getKey(), message.getValue())))));
            stream += 2;
        }
        all.writeBytes(RawHttp2.ping(7));
        all.writeBytes(RawHttp2.windowUpdate(0, 1_000));
        all.writeBytes(RawHttp2.frame(RawHttp2.RST_STREAM, 0, 3, new byte[] {0, 0, 0, 8}));
        return all.toByteArray();
    }

    @Test
    void invalidHttp2Frames() {
        List<byte[]> wrongs = List.of(
                RawHttp2.frame(0xff_ffff, RawHttp2.DATA, 0, 1, new byte[0]), // 16 MB to come
                RawHttp2.frame(RawHttp2.DATA, 0, 0, new byte[10]), // data of no stream
                RawHttp2.frame(RawHttp2.DATA, 0, 99, new byte[10]), // of a stream that is not open
                RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 2, new byte[10]), // an even stream
                RawHttp2.frame(RawHttp2.HEADERS, 0, 1, RawHttp2.headerBlock(":method", "POST")), // never continued
                RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, new byte[] {(byte) 0xff, -1, -1, -1, -1}),
                RawHttp2.frame(
                        RawHttp2.HEADERS,
                        RawHttp2.END_HEADERS,
                        1,
                        RawHttp2.headerBlock("x", "y".repeat(15_000))), // too many headers
                RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[5]),
                RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[] {0, 4, -1, -1, -1, -1}), // a window too large
                RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[] {0, 5, 0, 0, 0, 1}), // frames too small
                RawHttp2.frame(RawHttp2.WINDOW_UPDATE, 0, 0, new byte[4]),
                RawHttp2.windowUpdate(0, Integer.MAX_VALUE),
                RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[3]),
                RawHttp2.frame(RawHttp2.PING, 0, 1, new byte[8]),
                RawHttp2.frame(RawHttp2.GOAWAY, 0, 0, new byte[8]),
                RawHttp2.frame(5, RawHttp2.END_HEADERS, 1, new byte[20]), // a push promise from a client
                RawHttp2.frame(9, RawHttp2.END_HEADERS, 1, new byte[20])); // a continuation without a HEADERS frame
        for (byte[] wrong : wrongs) {
            try (RawHttp2 connection =
                    RawHttp2.connect(cairn.server().grpcPort()).start()) {
                connection.trySend(wrong);
                connection.trySend(new byte[64]);
                connection.shutdownOutput();
                connection.awaitEnd(PATIENCE);
            }
        }
    }

    @Test
    void invalidGrpcCalls() {
        byte[] query = RawHttp2.encoded(WireClient.payload("ConfigQueryRequest", QUERY));
        List<byte[]> wrongs = new ArrayList<>();
        // The prefix of the message: a length without the bytes, a length beyond any limit, unknown flags.
        wrongs.add(call("/Request/request", prefixed(0, query.length + 100, query)));
        wrongs.add(call("/Request/request", prefixed(0, -1, query)));
        wrongs.add(call("/Request/request", prefixed(0, Integer.MAX_VALUE, query)));
        wrongs.add(call("/Request/request", prefixed(0, 0, query)));
        wrongs.add(call("/Request/request", prefixed(1, query.length, query)));
        wrongs.add(call("/Request/request", prefixed(0xfe, query.length, query)));
        wrongs.add(call("/Request/request", new byte[] {0, 0, 0}));
        wrongs.add(call("/Request/request", new byte[0]));
        wrongs.add(call("/Request/request", join(RawHttp2.message(query), RawHttp2.message(query))));
        // The call itself.
        wrongs.add(call("/NoSuchService/request", RawHttp2.message(query)));
        wrongs.add(call("/Request/noSuchMethod", RawHttp2.message(query)));
        wrongs.add(call("", RawHttp2.message(query)));
        wrongs.add(call("Request/request", RawHttp2.message(query)));
        wrongs.add(withHeaders(":method", "GET", ":path", "/Request/request", "content-type", "application/grpc"));
        wrongs.add(withHeaders(":method", "POST", ":path", "/Request/request", "content-type", "text/html"));
        wrongs.add(withHeaders(":method", "POST", ":path", "/Request/request"));
        wrongs.add(withHeaders(
                ":method",
                "POST",
                ":path",
                "/Request/request",
                "content-type",
                "application/grpc",
                "grpc-timeout",
                "soon"));
        wrongs.add(withHeaders(
                ":method",
                "POST",
                ":path",
                "/Request/request",
                "content-type",
                "application/grpc",
                "grpc-encoding",
                "no-such"));
        wrongs.add(withHeaders("content-type", "application/grpc"));
        wrongs.add(withHeaders(":method", "POST", ":path", "/Request/request", "UPPER", "case"));
        for (byte[] wrong : wrongs) {
            try (RawHttp2 connection =
                    RawHttp2.connect(cairn.server().grpcPort()).start()) {
                connection.trySend(wrong);
                connection.shutdownOutput();
                connection.awaitEnd(PATIENCE);
            }
        }
    }

    private static byte[] call(String path, byte[] data) {
        return join(RawHttp2.open(1, path), RawHttp2.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, data));
    }

    private static byte[] withHeaders(String... headers) {
        return join(
                RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, RawHttp2.headerBlock(headers)),
                RawHttp2.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, RawHttp2.message(new byte[3])));
    }

    private static byte[] prefixed(int flags, int length, byte[] data) {
        return ByteBuffer.allocate(5 + data.length)
                .put((byte) flags)
                .putInt(length)
                .put(data)
                .array();
    }

    @Test
    void refusesAnOversizedMessageWithTheTextOfGrpc() {
        try (WireClient client = cairn.newClient()) {
            Payload large = ofSize(MAX_MESSAGE + 1);
            assertThat(statusOf(client, large).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(statusOf(client, large).getDescription())
                    .startsWith("gRPC message exceeds maximum size 10485760: 10485761 (limit message-bytes");

            // The connection stays open, and a message at the limit is read.
            assertThat(WireClient.tree(client.call(ofSize(MAX_MESSAGE)))
                            .path("success")
                            .asBoolean())
                    .isTrue();

            client.push("ConnectionSetupRequest", "{\"x\":\"" + "x".repeat(MAX_MESSAGE) + "\"}");
            assertThat(client.streamEnd())
                    .succeedsWithin(PATIENCE)
                    .extracting(Status::getCode)
                    .isNotEqualTo(Status.Code.OK);
        }
    }

    private static Status statusOf(WireClient client, Payload request) {
        try {
            client.call(request);
            return Status.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus();
        }
    }

    /** A health check of that size. */
    private static Payload ofSize(int bytes) {
        Payload small = WireClient.payload("HealthCheckRequest", "{\"x\":\"\"}");
        int around = WireClient.payload("HealthCheckRequest", "{\"x\":\"" + "x".repeat(bytes) + "\"}")
                        .encodedLength()
                - bytes;
        assertThat(small.encodedLength()).isLessThan(bytes);
        Payload payload = WireClient.payload("HealthCheckRequest", "{\"x\":\"" + "x".repeat(bytes - around) + "\"}");
        assertThat(payload.encodedLength()).isEqualTo(bytes);
        return payload;
    }

    private static final String SET_UP =
            "{\"clientVersion\":\"Nacos-Java-Client:v2.5.1\",\"tenant\":\"\",\"labels\":{\"source\":\"sdk\","
                    + "\"module\":\"config\"},\"abilityTable\":{\"a\":true},\"headers\":{},\"module\":\"internal\"}";
    private static final String QUERY =
            "{\"headers\":{},\"dataId\":\"sentinel-0\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\",\"tag\":\"\","
                    + "\"notify\":false,\"module\":\"config\"}";
    private static final String LISTEN =
            "{\"headers\":{},\"listen\":true,\"configListenContexts\":[{\"group\":\"DEFAULT_GROUP\",\"md5\":\"\","
                    + "\"dataId\":\"sentinel-1\",\"tenant\":\"\"},{\"group\":\"G\",\"md5\":null,\"dataId\":\"none\"}],"
                    + "\"module\":\"config\"}";
    /** A blank content, so that the server always refuses it. */
    private static final String PUBLISH =
            "{\"headers\":{},\"dataId\":\"victim\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\",\"content\":\" \","
                    + "\"casMd5\":\"\",\"additionMap\":{\"type\":\"yaml\",\"config_tags\":\"a,b\",\"desc\":\"d\"},"
                    + "\"module\":\"config\"}";

    private static final String REMOVE =
            "{\"headers\":{},\"dataId\":\"victim\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\",\"tag\":\"\","
                    + "\"module\":\"config\"}";
    private static final Map<String, String> MESSAGES = new LinkedHashMap<>(Map.of(
            "ConfigQueryRequest", QUERY,
            "ConfigBatchListenRequest", LISTEN,
            "ConfigPublishRequest", PUBLISH,
            "ConfigRemoveRequest", REMOVE,
            "HealthCheckRequest", "{\"headers\":{}}",
            "ServerCheckRequest", "{\"headers\":{}}"));

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    void mutatedEnvelopes(long seed) {
        Mutations mutations = new Mutations(seed);
        List<String> types = MESSAGES.keySet().stream().sorted().toList();
        try (WireClient client = cairn.newClient()) {
            for (int i = 0; i < 400; i++) {
                String type = mutations.any(types);
                byte[] wrong = mutations.mutate(RawHttp2.encoded(Payload.of(
                        type, "10.0.0.9", Map.of("accessToken", "x", "app", "y"), bytes(MESSAGES.get(type)))));
                if (!mayBePublished(Payload.read(wrong))) {
                    assertAnswerIsRight(callRaw(client, wrong), wrong);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33})
    void mutatedBodies(long seed) {
        Mutations mutations = new Mutations(seed);
        List<String> types = MESSAGES.keySet().stream().sorted().toList();
        try (WireClient client = cairn.newClient()) {
            for (int i = 0; i < 400; i++) {
                String type = mutations.any(types);
                Payload wrong = Payload.of(type, mutations.mutate(bytes(MESSAGES.get(type))));
                if (!mayBePublished(wrong)) {
                    assertAnswerIsRight(callRaw(client, RawHttp2.encoded(wrong)), RawHttp2.encoded(wrong));
                }
            }
        }
    }

    @Test
    void everyFieldOfEveryMessageWithInvalidValues() {
        List<String> values = List.of(
                "null",
                "17",
                "-1",
                "1e400",
                "99999999999999999999999",
                "true",
                "\"\"",
                "\" \"",
                "[]",
                "{}",
                "[null]",
                "[[]]",
                "[{\"dataId\":1}]",
                "{\"a\":{}}",
                "{\"a\":null}",
                "\"" + "x".repeat(300) + "\"",
                "\"" + "x".repeat(300_000) + "\"",
                "\"\\u0000\"",
                "\"\\ud800\"",
                "\"\\uD83D\\uDE00\"",
                "\"a b\"",
                "\"../../etc\"",
                "\"'; DROP TABLE config_info; --\"",
                "[".repeat(100_000),
                deep("[", "]", 60),
                deep("{\"a\":", "}", 500),
                "0x10",
                "NaN",
                "'single'",
                "",
                "\"never ends");
        try (WireClient client = cairn.newClient()) {
            for (Map.Entry<String, String> message : MESSAGES.entrySet()) {
                for (String field : JSON.readTree(message.getValue()).propertyNames()) {
                    if (field.equals("content")) {
                        continue;
                    }
                    for (String value : values) {
                        byte[] request = RawHttp2.encoded(
                                Payload.of(message.getKey(), bytes(with(message.getValue(), field, value))));
                        JsonNode answer = assertAnswerIsRight(callRaw(client, request), request);
                        if (message.getKey().equals("ConfigPublishRequest")) {
                            assertThat(answer.path("success").asBoolean()).isFalse();
                        }
                    }
                }
            }
        }
    }

    @Test
    void refusesAContentThatIsNotText() {
        try (WireClient client = cairn.newClient()) {
            for (String value : List.of("null", "\"\"", "\" \\n\\t\"", "[]", "{}", "[\"a\"]", "{\"a\":1}", "", "x")) {
                JsonNode answer = client.request("ConfigPublishRequest", with(PUBLISH, "content", value));
                assertThat(answer.path("success").asBoolean()).as(value).isFalse();
                assertThat(answer.path("errorCode").asInt()).as(value).isIn(400, 502);
            }
        }
    }

    private static String with(String message, String field, String value) {
        Map<String, String> fields = new LinkedHashMap<>();
        JSON.readTree(message)
                .properties()
                .forEach(each -> fields.put(each.getKey(), each.getValue().toString()));
        fields.put(field, value);
        return fields.entrySet().stream()
                .map(each -> '"' + each.getKey() + "\":" + each.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String deep(String open, String close, int levels) {
        return open.repeat(levels) + "1" + close.repeat(levels);
    }

    /** Whether the random message may be a valid publish. */
    private static boolean mayBePublished(Payload payload) {
        if (!payload.type().equals("ConfigPublishRequest")) {
            return false;
        }
        try {
            return !JSON.readTree(payload.bodyText())
                    .path("content")
                    .asString("")
                    .isBlank();
        } catch (JacksonException e) {
            return false;
        }
    }

    private static byte[] callRaw(WireClient client, byte[] message) {
        return ClientCalls.blockingUnaryCall(
                client.channel(),
                RAW_REQUEST,
                CallOptions.DEFAULT.withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                message);
    }

    /** Checks that a response is consistent in the three fields by which clients detect an error. */
    private static JsonNode assertAnswerIsRight(byte[] encoded, byte[] request) {
        Payload answer = Payload.read(encoded);
        String asked = new String(request, 0, Math.min(request.length, 500), StandardCharsets.UTF_8);
        assertThat(answer.malformation()).as(asked).isNull();
        assertThat(answer.type()).as(asked).endsWith("Response");
        JsonNode body = WireClient.tree(answer);
        boolean success = body.path("success").asBoolean();
        assertThat(body.path("resultCode").asInt()).as(asked).isEqualTo(success ? 200 : 500);
        if (!answer.type().equals("ConfigRemoveResponse")) { // which says 0 for a missing name, as Nacos does
            assertThat(body.path("errorCode").asInt() == 0).as(asked).isEqualTo(success);
        }
        return body;
    }

    @ParameterizedTest
    @ValueSource(longs = {41, 42})
    void invalidMessagesDoNotEndTheStream(long seed) {
        Mutations mutations = new Mutations(seed);
        List<Payload> rights = List.of(
                WireClient.payload("ConnectionSetupRequest", SET_UP),
                WireClient.payload(
                        "ConfigChangeNotifyResponse",
                        "{\"resultCode\":200,\"errorCode\":0,\"requestId\":\"1\",\"success\":true}"),
                WireClient.payload("ClientDetectionResponse", "{\"resultCode\":200,\"requestId\":\"1\"}"),
                WireClient.payload("ErrorResponse", "{\"resultCode\":500,\"errorCode\":500,\"requestId\":\"2\"}"),
                WireClient.payload("HealthCheckRequest", "{}"));
        try (WireClient client = cairn.newTransport()) {
            RawPushes pushes = new RawPushes();
            StreamObserver<byte[]> stream = ClientCalls.asyncBidiStreamingCall(
                    client.channel().newCall(RAW_STREAM, CallOptions.DEFAULT), pushes);
            for (int i = 0; i < 400; i++) {
                stream.onNext(mutations.mutate(RawHttp2.encoded(mutations.any(rights))));
            }
            for (String value : List.of("[]", "17", "null", "\"x\"", "", "{\"requestId\":{}}", "[".repeat(10_000))) {
                stream.onNext(RawHttp2.encoded(WireClient.payload("ConnectionSetupRequest", value)));
                stream.onNext(RawHttp2.encoded(WireClient.payload("ConfigChangeNotifyResponse", value)));
            }
            int before = pushes.types().size();

            stream.onNext(RawHttp2.encoded(WireClient.payload("ConnectionSetupRequest", SET_UP)));

            await().until(() -> pushes.types().size() > before
                    && pushes.types().get(pushes.types().size() - 1).equals("SetupAckRequest"));
            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("success")
                            .asBoolean())
                    .isTrue();
            assertThat(pushes.end).isNull();
        }
    }

    private static final class RawPushes implements StreamObserver<byte[]> {

        private final List<byte[]> messages = new CopyOnWriteArrayList<>();
        private volatile Status end;

        List<String> types() {
            return messages.stream().map(Payload::read).map(Payload::type).toList();
        }

        @Override
        public void onNext(byte[] message) {
            messages.add(message);
        }

        @Override
        public void onError(Throwable failure) {
            end = Status.fromThrowable(failure);
        }

        @Override
        public void onCompleted() {
            end = Status.OK;
        }
    }

    @Test
    void readsCompressedMessagesAndRefusesBombs() {
        try (WireClient client = cairn.newClient()) {
            Payload query = WireClient.payload("ConfigQueryRequest", QUERY);
            assertThat(compressed(client, query).path("content").asString()).isEqualTo("unchanged 0");

            Payload bomb = WireClient.payload("HealthCheckRequest", "{\"x\":\"" + "x".repeat(3 * MAX_MESSAGE) + "\"}");
            assertThat(compressed(client, bomb).path("errorCode").asInt()).isEqualTo(502);

            byte[] noGzip = join(
                    RawHttp2.frame(
                            RawHttp2.HEADERS,
                            RawHttp2.END_HEADERS,
                            1,
                            RawHttp2.headerBlock(
                                    ":method",
                                    "POST",
                                    ":scheme",
                                    "http",
                                    ":path",
                                    "/Request/request",
                                    "content-type",
                                    "application/grpc",
                                    "te",
                                    "trailers",
                                    "grpc-encoding",
                                    "gzip")),
                    RawHttp2.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, prefixed(1, 100, new byte[100])));
            try (RawHttp2 connection =
                    RawHttp2.connect(cairn.server().grpcPort()).start()) {
                connection.send(noGzip);
                connection.await(RawHttp2.HEADERS, PATIENCE);
            }
        }
    }

    private static JsonNode compressed(WireClient client, Payload request) {
        return WireClient.tree(ClientCalls.blockingUnaryCall(
                client.channel(),
                WireMethods.REQUEST,
                CallOptions.DEFAULT.withCompression("gzip").withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                request));
    }

    private static final List<String> REQUESTS = List.of(
            "GET /nacos/v1/cs/configs?dataId=sentinel-0&group=DEFAULT_GROUP&tenant= HTTP/1.1\r\nHost: localhost\r\n"
                    + "Client-Version: 3.0.0\r\n\r\n",
            form("POST /nacos/v1/cs/configs", "dataId=victim&group=DEFAULT_GROUP&type=yaml&config_tags=a%2Cb", ""),
            "DELETE /nacos/v1/cs/configs?dataId=victim&group=DEFAULT_GROUP HTTP/1.1\r\nHost: localhost\r\n\r\n",
            form(
                    "POST /nacos/v1/cs/configs/listener",
                    "Listening-Configs=none%02DEFAULT_GROUP%02%01sentinel-9%02G%02%02dev%01",
                    "Long-Pulling-Timeout: 30000\r\n"),
            form("POST /nacos/v1/cs/configs/listener", "Listening-Configs=sentinel-0%02DEFAULT_GROUP%02%01", ""),
            form("POST /nacos/v1/auth/users/login", "username=nacos&password=nacos", "Expect: 100-continue\r\n"),
            "GET /nacos/v1/console/health/readiness HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "GET /nacos/v1/console/namespaces HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Type:"
                    + " application/x-www-form-urlencoded\r\n\r\n1a\r\ndataId=victim&group=DEFAULT\r\n6\r\n_GROUP\r\n"
                    + "0\r\nTrailer: x\r\n\r\n");

    private static String form(String methodAndPath, String form, String headers) {
        return methodAndPath + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + headers + "Content-Length: " + form.length() + "\r\n\r\n" + form;
    }

    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53})
    void mutatedHttp(long seed) {
        Mutations mutations = new Mutations(seed);
        for (int i = 0; i < 250; i++) {
            byte[] right = bytes(mutations.any(REQUESTS));
            if (mutations.random().nextInt(3) == 0) {
                right = join(right, bytes(mutations.any(REQUESTS)));
            }
            byte[] wrong = mutations.mutate(right);
            try (RawSocket connection = RawSocket.connect(cairn.server().httpPort())) {
                connection.send(wrong);
                String answer = connection.end().readAll(PATIENCE);
                assertThat(answer.isEmpty() || answer.startsWith("HTTP/1.1 "))
                        .as(new String(wrong, StandardCharsets.ISO_8859_1) + "\n->\n" + answer)
                        .isTrue();
            }
        }
    }

    @Test
    void refusesInvalidHttpRequestsAndClosesTheConnection() {
        Map<String, String> wrongs = new LinkedHashMap<>();
        wrongs.put("GET /" + "x".repeat(600_000) + " HTTP/1.1\r\nHost: cairn\r\n\r\n", "414");
        wrongs.put("GET /nacos/ HTTP/1.1\r\nHost: cairn\r\nX: " + "y".repeat(600_000) + "\r\n\r\n", "431");
        wrongs.put(
                "GET /nacos/ HTTP/1.1\r\nHost: cairn\r\n"
                        + IntStream.range(0, 30_000)
                                .mapToObj(i -> "X-" + i + ": some value\r\n")
                                .collect(Collectors.joining())
                        + "\r\n",
                "431");
        wrongs.put("GET\r\n\r\n", "400");
        wrongs.put("GET /nacos/ HTTP/x.y\r\n\r\n", "400");
        wrongs.put("POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: x\r\n\r\n", "400");
        wrongs.put("POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: -5\r\n\r\n", "400");
        wrongs.put(
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
                "400");
        wrongs.put("POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: 999999999999\r\n\r\nx", "413");
        wrongs.put(
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx",
                "400");
        wrongs.forEach((request, status) -> {
            try (RawSocket connection = RawSocket.connect(cairn.server().httpPort())) {
                connection.send(request);
                String answer = connection.readAll(PATIENCE);
                assertThat(answer)
                        .as(request.substring(0, Math.min(100, request.length())))
                        .startsWith("HTTP/1.1 " + status + ' ');
                assertThat(answer).containsIgnoringCase("\r\nConnection: close\r\n");
            }
        });
    }

    @Test
    void malformedListeningConfigs() {
        String tooMany = "a%02b%02%01".repeat(10_001);
        List<String> values = new ArrayList<>(List.of(
                "",
                "%01",
                "%02",
                "%02%02%02%01",
                "a",
                "a%01",
                "a%02%01",
                "%02b%02%01",
                "a%02b%02c%02d%02e%01",
                "a%02b%02c%02d%02e%02f%01",
                "a%2502b%2502%2501",
                "%25zz",
                "%zz",
                "%",
                "a%02b%02" + "f".repeat(5_000) + "%01",
                "a b%02c%02%01",
                "x".repeat(300) + "%02b%02%01",
                "a%02b%02%02" + "t".repeat(100) + "%01",
                "%00%02%00%02%01",
                "%C3%28%02b%02%01",
                "\u4e2d%02b%02%01",
                tooMany,
                "a%02b%02%01" + "%01".repeat(50)));
        Mutations mutations = new Mutations(61);
        byte[] right = bytes("none%02DEFAULT_GROUP%02%01sentinel-9%02G%02d41d8cd98f00b204e9800998ecf8427e%02dev%01");
        for (int i = 0; i < 200; i++) {
            values.add(new String(mutations.mutate(right), StandardCharsets.ISO_8859_1).replaceAll("[&\\r\\n]", ""));
        }
        for (String value : values) {
            for (String timeout :
                    List.of("", "Long-Pulling-Timeout: 30000\r\nLong-Pulling-Timeout-No-Hangup: true\r\n")) {
                byte[] body = bytes("Listening-Configs=" + value);
                try (RawSocket connection = RawSocket.connect(cairn.server().httpPort())) {
                    connection.send(
                            "POST /nacos/v1/cs/configs/listener HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                    + "Content-Type: application/x-www-form-urlencoded\r\n" + timeout
                                    + "Content-Length: "
                                    + body.length + "\r\n\r\n");
                    connection.send(body);
                    assertThat(connection.readAll(PATIENCE)).as(value).matches("(?s)HTTP/1\\.1 (200|400|500) .*");
                }
            }
        }
    }

    @Test
    void readsBodiesUpToTheLimitAndRefusesLargerOnes() {
        for (int size : List.of(255 * 1024, 300 * 1024, 5 * 1024 * 1024)) {
            HttpResponse<String> answer = cairn.post(
                    "/v1/cs/configs",
                    Map.of("dataId", "vic tim", "group", "DEFAULT_GROUP", "content", "x".repeat(size)));
            assertThat(answer.statusCode()).isEqualTo(400);
        }
        int tooLarge = 40 * 1024 * 1024;
        try (RawSocket connection = RawSocket.connect(cairn.server().httpPort())) {
            connection.send(
                    "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: " + tooLarge + "\r\n\r\n");
            assertThat(connection.readAll(PATIENCE)).startsWith("HTTP/1.1 413 ");
        }
        try (RawSocket connection = RawSocket.connect(cairn.server().httpPort())) {
            connection.send("POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n");
            byte[] chunk = bytes("10000\r\n" + "x".repeat(0x10000) + "\r\n");
            int sent = 0;
            while (sent < tooLarge && connection.send(chunk)) {
                sent += 0x10000;
            }
            // The response may be lost when the reset arrives first.
            assertThat(connection.readAll(PATIENCE)).matches("(?s)(HTTP/1\\.1 413 .*)?");
        }
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = new byte[first.length + second.length];
        System.arraycopy(first, 0, both, 0, first.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static MethodDescriptor<byte[], byte[]> raw(MethodDescriptor.MethodType type, String name) {
        MethodDescriptor.Marshaller<byte[]> asIs = new MethodDescriptor.Marshaller<>() {
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
        };
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(name)
                .setRequestMarshaller(asIs)
                .setResponseMarshaller(asIs)
                .build();
    }
}

package io.cairn.server.support;

import static io.cairn.testing.Patience.PATIENCE;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One HTTP/2 connection with hand-written messages, valid or invalid. */
public final class WireClient implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final ManagedChannel channel;
    private final boolean owner;
    private final BlockingQueue<Payload> pushes = new LinkedBlockingQueue<>();
    private final CompletableFuture<Status> streamEnd = new CompletableFuture<>();
    private volatile Predicate<Payload> acknowledge = push -> true;
    private volatile boolean isShownDetections;
    private StreamObserver<Payload> stream;

    private WireClient(ManagedChannel channel) {
        this(channel, true);
    }

    private WireClient(ManagedChannel channel, boolean owner) {
        this.channel = channel;
        this.owner = owner;
    }

    public static WireClient connect(String host, int grpcPort) {
        return connect(host, grpcPort, "test");
    }

    /** A connection of a client with that user agent. */
    public static WireClient connect(String host, int grpcPort, String userAgent) {
        return new WireClient(NettyChannelBuilder.forAddress(host, grpcPort)
                .usePlaintext()
                .userAgent(userAgent)
                .maxInboundMessageSize(64 * 1024 * 1024)
                .build());
    }

    /** A connection over TLS that trusts the certificates of the context. */
    public static WireClient connect(String host, int grpcPort, SSLContext context) {
        return new WireClient(NettyChannelBuilder.forAddress(host, grpcPort)
                .sslContext(new JdkSslContext(
                        context,
                        true,
                        null,
                        IdentityCipherSuiteFilter.INSTANCE,
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                "h2"),
                        ClientAuth.NONE,
                        null,
                        false))
                .maxInboundMessageSize(64 * 1024 * 1024)
                .build());
    }

    /** Opens the stream, sends the setup, and waits until the server has accepted it. */
    public WireClient setUp() {
        return setUp("127.0.0.1");
    }

    /** Like {@link #setUp()}, with that client address. */
    public WireClient setUp(String clientIp) {
        return setUp(clientIp, "Nacos-Go-Client:v2.2.0");
    }

    /** Like {@link #setUp(String)}, for a client of that name and version. */
    public WireClient setUp(String clientIp, String sdk) {
        return setUp(clientIp, sdk, Map.of("source", "sdk", "module", "config"));
    }

    /** Like {@link #setUp(String, String)}, with those labels alone. */
    public WireClient setUp(String clientIp, String sdk, Map<String, String> labels) {
        String introduction = JSON.writeValueAsString(Map.of("clientVersion", sdk, "tenant", "", "labels", labels));
        push(Payload.of("ConnectionSetupRequest", clientIp, introduction.getBytes(StandardCharsets.UTF_8)));
        await().pollInterval(Duration.ofMillis(10))
                .until(() -> request("HealthCheckRequest", "{}").path("success").asBoolean());
        return this;
    }

    /** Another client on the same transport; closing it closes nothing. */
    public WireClient sharingItsTransport() {
        return new WireClient(channel, false);
    }

    /** Like {@link #setUp()}, for a client of that module, which negotiates abilities. */
    public WireClient setUpAs(String module) {
        push("ConnectionSetupRequest", """
                {"clientVersion":"test","tenant":"","labels":{"source":"sdk","module":"%s"},"abilityTable":{}}""".formatted(module));
        Payload acknowledged = nextPush();
        if (!acknowledged.type().equals("SetupAckRequest")) {
            throw new AssertionError("the setup was answered with " + acknowledged.type());
        }
        return this;
    }

    /** Sends a message on the stream, and opens the stream if necessary. */
    public void push(String type, String json) {
        push(payload(type, json));
    }

    /** Sends a message on the stream, and opens the stream if necessary. */
    public synchronized void push(Payload payload) {
        if (stream == null) {
            stream = ClientCalls.asyncBidiStreamingCall(
                    channel.newCall(WireMethods.BI_STREAM, CallOptions.DEFAULT), new Pushes());
        }
        stream.onNext(payload);
    }

    public synchronized void halfClose() {
        stream.onCompleted();
    }

    /**
     * Shows detection requests of the server like all other pushes from now on. Before, the client answers them like
     * the SDKs and hides them: they arrive whenever the client was silent for a while, which is often on a busy
     * machine.
     */
    public WireClient showDetections() {
        isShownDetections = true;
        return this;
    }

    /** Sets which pushes are acknowledged automatically; at first all of them. */
    public void acknowledge(Predicate<Payload> which) {
        acknowledge = which;
    }

    /** Acknowledges a push manually. */
    public synchronized void acknowledge(Payload push) {
        stream.onNext(payload(
                push.type().replace("Request", "Response"),
                "{\"resultCode\":200,\"errorCode\":0,\"requestId\":\""
                        + tree(push).path("requestId").asString() + "\",\"success\":true}"));
    }

    /** The next push of any type; fails when none comes within a minute. */
    public Payload nextPush() {
        try {
            Payload push = pushes.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (push == null) {
                throw new AssertionError("no push within " + PATIENCE);
            }
            return push;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The next push of that type; former pushes of other types are dropped. */
    public Payload nextPush(String type) {
        Payload push = nextPush();
        while (!push.type().equals(type)) {
            push = nextPush();
        }
        return push;
    }

    /** The data id of the next configuration that is pushed as changed. */
    public String nextChange() {
        return tree(nextPush("ConfigChangeNotifyRequest")).path("dataId").asString();
    }

    /** The pushes that arrived and were not taken yet. */
    public BlockingQueue<Payload> pushes() {
        return pushes;
    }

    /** The status with which the server ended the stream. */
    public CompletableFuture<Status> streamEnd() {
        return streamEnd;
    }

    /** A unary request; returns the body of the response. */
    public JsonNode request(String type, String json) {
        return tree(call(payload(type, json)));
    }

    /** A unary request with headers, such as a token; returns the body of the response. */
    public JsonNode request(String type, String json, Map<String, String> headers) {
        return tree(call(Payload.of(type, "127.0.0.1", headers, json.getBytes(StandardCharsets.UTF_8))));
    }

    /** A unary request; returns the envelope of the response. */
    public Payload call(Payload request) {
        return ClientCalls.blockingUnaryCall(
                channel,
                WireMethods.REQUEST,
                CallOptions.DEFAULT.withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                request);
    }

    /** A unary request with an asynchronous response. */
    public CompletableFuture<Payload> callAsync(Payload request) {
        CompletableFuture<Payload> answer = new CompletableFuture<>();
        ClientCalls.asyncUnaryCall(
                channel.newCall(WireMethods.REQUEST, CallOptions.DEFAULT), request, new StreamObserver<Payload>() {
                    @Override
                    public void onNext(Payload value) {
                        answer.complete(value);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        answer.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {}
                });
        return answer;
    }

    /** Sends a unary request and cancels it once it is under way. */
    public void callAndGiveUp(Payload request) {
        ClientCall<Payload, Payload> call = channel.newCall(WireMethods.REQUEST, CallOptions.DEFAULT);
        call.start(new ClientCall.Listener<>() {}, new Metadata());
        call.request(1);
        call.sendMessage(request);
        call.halfClose();
        // Without this request, the cancellation could overtake the request on its way to the transport.
        request("ServerCheckRequest", "{}");
        call.cancel("given up", null);
    }

    public JsonNode publish(String dataId, String content) {
        return request(
                "ConfigPublishRequest",
                JSON.writeValueAsString(Map.of("dataId", dataId, "group", "DEFAULT_GROUP", "content", content)));
    }

    public JsonNode query(String dataId) {
        return request(
                "ConfigQueryRequest", JSON.writeValueAsString(Map.of("dataId", dataId, "group", "DEFAULT_GROUP")));
    }

    public JsonNode remove(String dataId) {
        return request(
                "ConfigRemoveRequest", JSON.writeValueAsString(Map.of("dataId", dataId, "group", "DEFAULT_GROUP")));
    }

    /**
     * Waits until every change so far was announced. Changes are announced in order, but after their publishers got a
     * response, so a client that begins to listen at once may still be notified of an earlier change.
     */
    public void awaitAnnouncements() {
        String marker = "marker-" + System.nanoTime();
        listen(marker, "");
        publish(marker, "x");
        while (!tree(nextPush()).path("dataId").asString().equals(marker)) {
            // Another configuration that this client listens to.
        }
        remove(marker);
    }

    /** Listens to one configuration without a namespace, which stands for the default one. */
    public JsonNode listen(String dataId, String md5) {
        return request(
                "ConfigBatchListenRequest",
                "{\"listen\":true,\"configListenContexts\":[{\"dataId\":\"" + dataId
                        + "\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\",\"md5\":\"" + md5 + "\"}]}");
    }

    public static Payload payload(String type, String json) {
        return Payload.of(type, "127.0.0.1", json.getBytes(StandardCharsets.UTF_8));
    }

    public static JsonNode tree(Payload payload) {
        return JSON.readTree(payload.bodyText());
    }

    public ManagedChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        if (owner) {
            channel.shutdownNow();
        }
    }

    private final class Pushes implements StreamObserver<Payload> {

        @Override
        public void onNext(Payload push) {
            if (!isShownDetections && push.type().equals("ClientDetectionRequest")) {
                acknowledge(push);
                return;
            }
            pushes.add(push);
            if (tree(push).has("requestId") && acknowledge.test(push)) {
                acknowledge(push);
            }
        }

        @Override
        public void onError(Throwable failure) {
            streamEnd.complete(Status.fromThrowable(failure));
        }

        @Override
        public void onCompleted() {
            streamEnd.complete(Status.OK);
        }
    }
}

package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireMethods;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A gRPC client that registers an instance, subscribes to its service, and moves as official clients do: to the server that a request to
 * move names, or to the next one of its list when its connection breaks. Used by one thread, that of the executor.
 */
final class MovingClient {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int GRPC_OFFSET = 1_000;
    private static final long RETRY_MILLIS = 200;
    private static final String REQUEST_ID = "\"requestId\":\"";
    private static final String HOST = "\"ip\":\"";
    /** The smallest of HTTP/2: each client may have as much unread, in direct memory. */
    private static final int WINDOW_BYTES = 65_535;

    private final int[] ports;
    private final String service;
    private final String instance;
    private final EventLoopGroup loops;
    private final ScheduledExecutorService thread;
    private final BiConsumer<String, Integer> onList;
    private final Consumer<String> onFailure;
    /** Its connections, without those whose channels have ended. */
    private final List<Link> links = new ArrayList<>();

    private int next;
    private int moves;
    private int lastListed;
    private boolean closed;
    private @Nullable Link current;

    /**
     * @param ports of HTTP, the list of servers; the first connection goes to the one with this index
     * @param onList receives the number of instances in each list
     * @param onFailure receives each call that fails
     */
    MovingClient(
            int[] ports,
            int first,
            String service,
            String instance,
            EventLoopGroup loops,
            ScheduledExecutorService thread,
            BiConsumer<String, Integer> onList,
            Consumer<String> onFailure) {
        this.ports = ports.clone();
        this.next = first;
        this.service = service;
        this.instance = instance;
        this.loops = loops;
        this.thread = thread;
        this.onList = onList;
        this.onFailure = onFailure;
    }

    /** A connection. It counts once the server has answered to it. */
    private final class Link implements StreamObserver<Payload> {

        final int port;
        private final ManagedChannel channel;
        private final StreamObserver<Payload> stream;
        private boolean ended;

        Link(int port) {
            this.port = port;
            this.channel = NettyChannelBuilder.forAddress("127.0.0.1", port + GRPC_OFFSET)
                    .usePlaintext()
                    .eventLoopGroup(loops)
                    .channelType(NioSocketChannel.class)
                    .executor(thread)
                    .flowControlWindow(WINDOW_BYTES)
                    .build();
            links.removeIf(each -> each.channel.isTerminated());
            links.add(this);
            this.stream = ClientCalls.asyncBidiStreamingCall(
                    channel.newCall(WireMethods.BI_STREAM, CallOptions.DEFAULT), this);
            stream.onNext(
                    payload(
                            "ConnectionSetupRequest",
                            "{\"clientVersion\":\"Nacos-Java-Client:v2.5.1\",\"tenant\":\"\",\"labels\":{\"source\":\"sdk\",\"module\":\"naming\"}}"));
            establish();
        }

        /** The server knows the connection a moment after the stream has begun; a registration before that is refused. */
        private void establish() {
            call("HealthCheckRequest", "{}", answer -> {
                if (answer.path("success").asBoolean()) {
                    register();
                } else {
                    thread.schedule(this::establish, 20, TimeUnit.MILLISECONDS);
                }
            });
        }

        private void register() {
            call(
                    "InstanceRequest",
                    service() + ",\"type\":\"registerInstance\",\"instance\":" + instance + '}',
                    answer -> {
                        if (answer.path("success").asBoolean()) {
                            call(
                                    "SubscribeServiceRequest",
                                    service() + ",\"subscribe\":true,\"clusters\":\"\"}",
                                    list -> {
                                        count(
                                                "a subscription",
                                                list.path("serviceInfo")
                                                        .path("hosts")
                                                        .size());
                                        established(this);
                                    });
                        } else {
                            fail("registration refused: " + answer);
                        }
                    });
        }

        void call(String type, String json, Consumer<JsonNode> then) {
            ClientCalls.asyncUnaryCall(
                    channel.newCall(
                            WireMethods.REQUEST,
                            CallOptions.DEFAULT.withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)),
                    payload(type, json),
                    new StreamObserver<Payload>() {
                        @Override
                        public void onNext(Payload answer) {
                            then.accept(JSON.readTree(answer.bodyText()));
                        }

                        @Override
                        public void onError(Throwable failure) {
                            fail(type + ": " + failure);
                        }

                        @Override
                        public void onCompleted() {}
                    });
        }

        /** Of a connection in use, a failure is one that the application sees; any other connection is only tried again. */
        private void fail(String what) {
            if (current == this && !ended && !closed) {
                onFailure.accept(what + " at port " + port);
            }
            broken(this);
        }

        @Override
        public void onNext(Payload push) {
            String body = push.bodyText();
            stream.onNext(payload(
                    push.type().replace("Request", "Response"),
                    "{\"resultCode\":200,\"errorCode\":0,\"success\":true,\"requestId\":\"" + requestId(body) + "\"}"));
            if (push.type().equals("ConnectResetRequest")) {
                moveTo(JSON.readTree(body).path("serverPort").asInt(), this);
            } else if (push.type().equals("NotifySubscriberRequest")) {
                count("a push", hosts(body));
            }
        }

        @Override
        public void onError(Throwable failure) {
            broken(this);
        }

        @Override
        public void onCompleted() {
            broken(this);
        }

        void end() {
            ended = true;
            stream.onCompleted();
            channel.shutdown();
        }
    }

    private static Payload payload(String type, String json) {
        return Payload.of(type, "127.0.0.1", json.getBytes(StandardCharsets.UTF_8));
    }

    private String service() {
        return "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\"";
    }

    /** Read without the rest of the message: hundreds of clients are sent lists of hundreds of instances, on one thread. */
    private static String requestId(String push) {
        int from = push.indexOf(REQUEST_ID) + REQUEST_ID.length();
        return push.substring(from, push.indexOf('"', from));
    }

    private static int hosts(String push) {
        int hosts = 0;
        for (int at = push.indexOf(HOST); at >= 0; at = push.indexOf(HOST, at + HOST.length())) {
            hosts++;
        }
        return hosts;
    }

    private void count(String where, int hosts) {
        lastListed = hosts;
        onList.accept(where, hosts);
    }

    void start() {
        thread.execute(this::connectToNext);
    }

    private void connectToNext() {
        if (!closed) {
            new Link(ports[next++ % ports.length]);
        }
    }

    private void moveTo(int port, Link from) {
        if (current == from && !closed) {
            moves++;
            for (int each : ports) {
                if (each == port) {
                    new Link(port);
                    return;
                }
            }
            connectToNext();
        }
    }

    private void established(Link link) {
        Link before = current;
        if (closed || link.ended) {
            link.end();
            return;
        }
        current = link;
        if (before != null) {
            before.end();
        }
    }

    private void broken(Link link) {
        if (link.ended || closed) {
            return;
        }
        link.end();
        if (current == link) {
            current = null;
        }
        if (current == null) {
            thread.schedule(this::connectToNext, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Reads the list of the service over the present connection; does nothing while there is none. When the server refuses it because the
     * client has left that connection meanwhile, it is repeated over the next one, as official clients do.
     */
    void query() {
        Link link = current;
        if (link != null) {
            link.call("ServiceQueryRequest", service() + ",\"cluster\":\"\",\"healthyOnly\":true}", answer -> {
                if (answer.path("success").asBoolean()) {
                    count(
                            "a query at port " + link.port,
                            answer.path("serviceInfo").path("hosts").size());
                } else if (link.ended && answer.path("errorCode").asInt() == WireError.UNREGISTERED) {
                    query();
                } else {
                    onFailure.accept("a query at port " + link.port + ": " + answer);
                }
            });
        }
    }

    boolean isConnected() {
        return current != null;
    }

    /** The number of instances in the last list that it was given. */
    int lastListed() {
        return lastListed;
    }

    int moves() {
        return moves;
    }

    /** Ends all connections, also those that are being set up or have calls under way; returns their channels, which end soon. */
    List<ManagedChannel> close() {
        closed = true;
        List<ManagedChannel> channels = links.stream().map(link -> link.channel).toList();
        channels.forEach(ManagedChannel::shutdownNow);
        return channels;
    }
}

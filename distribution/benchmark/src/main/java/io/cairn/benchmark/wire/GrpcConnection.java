package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A registered Nacos client connection: server check, stream with the connection setup, health checks until the server
 * knows it. Acknowledges every push, the detection of idle clients included; ends when the server asks the client to move. Safe to call from any thread; listeners are
 * called on the connection's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which fails every call
public final class GrpcConnection {
    private static final String UNARY = "/Request/request";
    /** The node asks the client to connect to another one. */
    private static final String RESET = "ConnectResetRequest";

    private static final String STREAM = "/BiRequestStream/requestBiStream";
    private static final long HEALTH_CHECK_PAUSE_MILLIS = 2;

    private static final byte[] SERVER_CHECK = Envelope.write("ServerCheckRequest", "{\"headers\":{}}");
    private static final byte[] HEALTH_CHECK =
            Envelope.write("HealthCheckRequest", "{\"headers\":{},\"module\":\"internal\"}");
    private static final byte[] CONFIG_SETUP = setup("config");
    private static final byte[] NAMING_SETUP = setup("naming");

    private final Transport transport;
    private final Channel channel;
    private final Http2Client http2;
    private final byte[] setup;
    private final StreamListener pushes;
    private Http2Client.@Nullable Stream pushStream;

    private GrpcConnection(
            Transport transport,
            Channel channel,
            Http2Client http2,
            byte[] setup,
            Function<GrpcConnection, StreamListener> pushes) {
        this.transport = transport;
        this.channel = channel;
        this.http2 = http2;
        this.setup = setup;
        this.pushes = pushes.apply(this);
    }

    private static byte[] setup(String module) {
        return Envelope.write(
                "ConnectionSetupRequest",
                "{\"headers\":{},\"clientVersion\":\"Cairn-Benchmark:1\",\"labels\":{\"source\":\"sdk\",\"module\":\""
                        + module + "\"},\"module\":\"internal\"}");
    }

    /** Completes when the server answers a health check of the registered connection; fails with one line if it does not. */
    public static CompletableFuture<GrpcConnection> open(
            Transport transport, InetSocketAddress address, PushListener pushes) {
        return open(transport, address, CONFIG_SETUP, connection -> connection.new Pushes(pushes));
    }

    /** As {@link #open}, for naming: a server may refuse naming requests on other connections. */
    public static CompletableFuture<GrpcConnection> openNaming(
            Transport transport, InetSocketAddress address, ViewListener views) {
        return open(transport, address, NAMING_SETUP, connection -> connection.new Views(views));
    }

    private static CompletableFuture<GrpcConnection> open(
            Transport transport,
            InetSocketAddress address,
            byte[] setup,
            Function<GrpcConnection, StreamListener> pushes) {
        var opened = new CompletableFuture<GrpcConnection>();
        var settled = new CompletableFuture<Void>();
        String authority = address.getHostString() + ":" + address.getPort();
        var http2 = new Http2Client(authority, transport.takesGzip(), null, () -> settled.complete(null));
        Channel channel = transport.connect(address, http2, opened);
        var connection = new GrpcConnection(transport, channel, http2, setup, pushes);
        // The settings may be here before this line is, and then it would run on the caller's thread.
        settled.thenRun(() -> channel.eventLoop().execute(() -> connection.handshake(opened)));
        return opened;
    }

    private void handshake(CompletableFuture<GrpcConnection> opened) {
        http2.open(UNARY, SERVER_CHECK, true, new SingleAnswer((body, failure) -> {
            if (failure != null) {
                opened.completeExceptionally(new IllegalStateException("server check: " + failure));
                return;
            }
            pushStream = http2.open(STREAM, setup, false, pushes);
            awaitRegistration(opened);
        }));
    }

    /** Registration is asynchronous and, without an ability table, not announced: ask until the answer is a success. */
    private void awaitRegistration(CompletableFuture<GrpcConnection> opened) {
        http2.open(UNARY, HEALTH_CHECK, true, new SingleAnswer((body, failure) -> {
            if (failure == null) {
                opened.complete(this);
            } else if (!opened.isDone() && channel.isActive()) {
                channel.eventLoop()
                        .schedule(() -> awaitRegistration(opened), HEALTH_CHECK_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }));
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    public boolean isOpen() {
        return channel.isActive() && !http2.isLost();
    }

    public CompletableFuture<Void> close() {
        var closed = new CompletableFuture<Void>();
        channel.close().addListener(done -> closed.complete(null));
        return closed;
    }

    /** Sends one unary request, written by {@link Envelope#write(String, String)}. */
    public void call(byte[] request, StreamListener listener) {
        String token = transport.token();
        byte[] sent = token == null ? request : Envelope.withToken(request, token);
        if (channel.eventLoop().inEventLoop()) {
            http2.open(UNARY, sent, true, listener);
        } else {
            channel.eventLoop().execute(() -> http2.open(UNARY, sent, true, listener));
        }
    }

    /** For what is not measured: the JSON body of a successful answer, or an exception with the refusal. */
    public CompletableFuture<String> ask(byte[] request) {
        return ask(request, Envelope::body);
    }

    /** As {@link #ask}: a header of a successful answer, empty when the answer has none of that name. */
    public CompletableFuture<String> askHeader(byte[] request, String name) {
        return ask(request, answer -> {
            String value = answer.header(name);
            return value == null ? "" : value;
        });
    }

    private CompletableFuture<String> ask(byte[] request, Function<Envelope, String> part) {
        var answer = new CompletableFuture<String>();
        call(request, new SingleAnswer(part, (result, failure) -> {
            if (failure == null) {
                answer.complete(result);
            } else {
                answer.completeExceptionally(new IllegalStateException(failure));
            }
        }));
        return answer.orTimeout(30, TimeUnit.SECONDS).exceptionallyCompose(failure -> {
            Throwable cause =
                    failure instanceof TimeoutException ? new IllegalStateException("no answer within 30 s") : failure;
            return CompletableFuture.failedFuture(cause);
        });
    }

    /** A health check, as an idle client sends it; an exception if the server does not know the connection. */
    public CompletableFuture<String> checkHealth() {
        return ask(HEALTH_CHECK);
    }

    private void acknowledgeSoon(Envelope push) {
        String type = push.type();
        String requestId = push.member(Envelope.Member.REQUEST_ID);
        if (requestId != null && type.endsWith("Request")) {
            // Later than the other connections' pushes that are already here: clients elsewhere would not wait for
            // this one's acknowledgement either, and theirs are being timed.
            channel.eventLoop().execute(() -> {
                acknowledge(type, requestId);
                if (type.equals(RESET)) {
                    channel.close();
                }
            });
        }
    }

    private void acknowledge(String type, String requestId) {
        if (pushStream != null) {
            String answer = type.substring(0, type.length() - "Request".length()) + "Response";
            pushStream.send(Envelope.write(
                    answer,
                    "{\"resultCode\":200,\"errorCode\":0,\"requestId\":\"" + requestId + "\",\"success\":true}"));
        }
    }

    private interface Outcome {
        void accept(String result, @Nullable String failure);
    }

    /** Keeps the one answer of a unary call until the call has ended. */
    private static final class SingleAnswer implements StreamListener {
        private final Function<Envelope, String> part;
        private final Outcome outcome;
        private String result = "";
        private @Nullable String refusal = "no answer";

        SingleAnswer(Outcome outcome) {
            this(Envelope::body, outcome);
        }

        /** @param part of the answer that the outcome gets */
        SingleAnswer(Function<Envelope, String> part, Outcome outcome) {
            this.part = part;
            this.outcome = outcome;
        }

        @Override
        public void message(Envelope message) {
            result = part.apply(message);
            refusal = message.refusal();
        }

        @Override
        public void end(@Nullable String failure) {
            outcome.accept(result, failure == null ? refusal : failure);
        }
    }

    private final class Pushes implements StreamListener {
        private final PushListener listener;

        Pushes(PushListener listener) {
            this.listener = listener;
        }

        @Override
        public void message(Envelope push) {
            listener.pushed(GrpcConnection.this, push);
            acknowledgeSoon(push);
        }

        @Override
        public void end(@Nullable String failure) {
            channel.close();
        }
    }

    private final class Views implements StreamListener {
        private final ViewListener listener;
        private final ViewScanner scanner;
        /** The part that has come of a compressed view. */
        private final ByteBuf folded = Unpooled.buffer();

        Views(ViewListener listener) {
            this.listener = listener;
            scanner = new ViewScanner(listener);
        }

        @Override
        public boolean takesPieces() {
            return true;
        }

        @Override
        public void piece(ByteBuf bytes, int index, int length, int left, boolean compressed) {
            if (compressed) {
                folded.writeBytes(bytes, index, length);
                if (left == 0) {
                    int size = folded.readableBytes();
                    Envelope push = transport.views().read(folded, listener);
                    folded.clear();
                    viewed(push, size);
                }
                return;
            }
            scanner.scan(bytes, index, length);
            if (left == 0) {
                int size = scanner.bytes();
                viewed(scanner.finish(), size);
            }
        }

        private void viewed(Envelope push, int size) {
            if (push.type().equals("NotifySubscriberRequest")) {
                listener.viewed(size);
            }
            acknowledgeSoon(push);
        }

        @Override
        public void message(Envelope push) {
            throw new IllegalStateException("takes pieces");
        }

        @Override
        public void end(@Nullable String failure) {
            channel.close();
        }
    }
}

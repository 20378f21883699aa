package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireMethods;
import io.cairn.api.wire.connection.ServerPush;
import io.cairn.client.connection.NoRightException;
import io.cairn.client.connection.ServerAddress;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An established connection: requests and pushes share one TCP connection. A broken connection is replaced. */
public final class Connection implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");

    private final ServerAddress address;
    private final ManagedChannel channel;
    private final OpenSockets sockets;
    private final Events events;
    private final ClientCall<Payload, Payload> stream;
    private final CompletableFuture<Set<String>> setupAck = new CompletableFuture<>();
    private final CompletableFuture<String> streamEnd = new CompletableFuture<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger underway = new AtomicInteger();
    /** A gRPC call must not be used by two threads at a time. */
    private final Object sending = new Object();

    private volatile boolean established;
    private volatile Set<String> abilities = Set.of();
    private volatile long lastHeardNanos = System.nanoTime();
    private volatile long establishedNanos = System.nanoTime();
    /** Consecutive health checks without a response; used on the timer thread. */
    private int missed;

    /** Handles the events of a connection; must not block. */
    interface Events {

        /** @return the request id for the acknowledgement; null when the push has no id */
        @Nullable
        String onPush(Connection connection, Payload push);

        /** Called once, for established connections only. */
        void onEnd(Connection connection, String why);
    }

    Connection(ServerAddress address, ManagedChannel channel, OpenSockets sockets, Events events) {
        this.address = address;
        this.channel = channel;
        this.sockets = sockets;
        this.events = events;
        this.stream = channel.newCall(WireMethods.BI_STREAM, CallOptions.DEFAULT);
    }

    public ServerAddress address() {
        return address;
    }

    public boolean offers(String ability) {
        return abilities.contains(ability);
    }

    long lastHeardNanos() {
        return lastHeardNanos;
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - establishedNanos);
    }

    /** Resets {@link #missed()}; on the timer thread. */
    void healthy() {
        missed = 0;
    }

    /** Counts a health check without a response; on the timer thread. */
    int missed() {
        return ++missed;
    }

    boolean ended() {
        return ended.get();
    }

    boolean idle() {
        return underway.get() == 0;
    }

    CompletableFuture<Set<String>> setupAck() {
        return setupAck;
    }

    /** Completes with the reason when the server ends the stream. */
    CompletableFuture<String> streamEnd() {
        return streamEnd;
    }

    void startStream(Payload setup) {
        stream.start(new StreamListener(), new Metadata());
        stream.request(1);
        send(setup);
    }

    void establish(Set<String> offered) {
        abilities = Set.copyOf(offered);
        establishedNanos = System.nanoTime();
        established = true;
        // The stream may have ended before this call.
        streamEnd.thenAccept(this::end);
    }

    /** @return the response, also an error response; fails with {@code UNAVAILABLE} after a timeout */
    public CompletableFuture<Payload> request(Payload request, Duration timeout) {
        CompletableFuture<Payload> answer = new CompletableFuture<>();
        ClientCall<Payload, Payload> call = channel.newCall(
                WireMethods.REQUEST,
                CallOptions.DEFAULT.withDeadlineAfter(Math.max(1, timeout.toMillis()), TimeUnit.MILLISECONDS));
        underway.incrementAndGet();
        answer.whenComplete((payload, failure) -> underway.decrementAndGet());
        call.start(new AnswerListener(answer, request.type()), new Metadata());
        call.sendMessage(request);
        call.halfClose();
        call.request(2);
        return answer;
    }

    /** Answers a push with more than an acknowledgement. */
    public void answer(Payload message) {
        send(message);
    }

    private void send(Payload message) {
        synchronized (sending) {
            if (!ended.get()) {
                stream.sendMessage(message);
            }
        }
    }

    private void receive(Payload push) {
        lastHeardNanos = System.nanoTime();
        if (push.type().equals(MessageCatalog.SETUP_ACK_REQUEST)) {
            setupAck.complete(JsonInput.read(push, ServerPush::read).abilities());
            return;
        }
        String requestId = events.onPush(this, push);
        if (requestId != null) {
            reply(push.type().replace("Request", "Response"), requestId);
        }
    }

    private void reply(String type, String requestId) {
        send(Payload.of(
                type,
                new JsonOutput(96)
                        .number("resultCode", WireError.RESULT_OK)
                        .number("errorCode", 0)
                        .text("requestId", requestId)
                        .flag("success", true)
                        .toBytes()));
    }

    private void refuse(Payload push, RuntimeException why) {
        LOG.log(System.Logger.Level.WARNING, "A push from " + address + " could not be used: " + push.type(), why);
        String requestId = null;
        try {
            requestId = JsonInput.read(push, ServerPush::read).requestId();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "It has no request id either", e);
        }
        send(Payload.of(
                MessageCatalog.ERROR_RESPONSE,
                new JsonOutput(128)
                        .number("resultCode", WireError.RESULT_FAILED)
                        .number("errorCode", WireError.SERVER_ERROR)
                        .text("message", String.valueOf(why.getMessage()))
                        .text("requestId", requestId)
                        .flag("success", false)
                        .toBytes()));
    }

    /** Ends the connection and notifies its owner. */
    void end(String why) {
        if (ended.compareAndSet(false, true)) {
            release();
            if (established) {
                events.onEnd(this, why);
            }
        }
    }

    /** Ends the connection without notifying its owner. */
    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            release();
        }
    }

    private void release() {
        setupAck.cancel(false);
        channel.shutdownNow();
        sockets.cut();
    }

    CairnException failure(Status status, String request) {
        String where = address.hostText() + ':' + address.grpcPort();
        String text = request + " to " + where + " was not answered: " + words(status);
        return switch (status.getCode()) {
            case RESOURCE_EXHAUSTED -> new CairnException(ErrorCode.LIMIT_EXCEEDED, text, status.getCause());
            case UNIMPLEMENTED -> new CairnException(ErrorCode.UNSUPPORTED, text, status.getCause());
            case PERMISSION_DENIED, UNAUTHENTICATED -> new NoRightException(text, status.getCause());
            default -> new CairnException(ErrorCode.UNAVAILABLE, text, status.getCause());
        };
    }

    /** Uses the first line only: a web server may return a whole HTML page. */
    private static String words(Status status) {
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            return "its time was up";
        }
        String said = status.getDescription();
        return status.getCode()
                + (said == null || said.isBlank()
                        ? ""
                        : ": " + said.strip().lines().findFirst().orElse(""));
    }

    private final class AnswerListener extends ClientCall.Listener<Payload> {

        private final CompletableFuture<Payload> answer;
        private final String request;
        private @Nullable Payload message;

        AnswerListener(CompletableFuture<Payload> answer, String request) {
            this.answer = answer;
            this.request = request;
        }

        @Override
        public void onMessage(Payload payload) {
            message = payload;
            lastHeardNanos = System.nanoTime();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            Payload payload = message;
            if (status.isOk() && payload != null && payload.malformation() == null) {
                if (established && saysUnregistered(payload)) {
                    end("the server does not know this connection any more");
                }
                answer.complete(payload);
            } else {
                answer.completeExceptionally(failure(status, request));
            }
        }

        /** The sender of the request reports an unreadable body. */
        private static boolean saysUnregistered(Payload payload) {
            try {
                return payload.type().equals(MessageCatalog.ERROR_RESPONSE)
                        && JsonInput.read(payload, AnswerFields::read).errorCode() == WireError.UNREGISTERED;
            } catch (MalformedMessageException e) {
                return false;
            }
        }
    }

    private final class StreamListener extends ClientCall.Listener<Payload> {

        @Override
        public void onMessage(Payload push) {
            try {
                receive(push);
            } catch (RuntimeException e) {
                refuse(push, e);
            } finally {
                stream.request(1);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            String why = status.isOk()
                    ? "the server has ended it"
                    : status.getCode()
                            + (status.getDescription() == null ? "" : ": " + status.getDescription())
                            + (status.getCause() == null ? "" : " (" + status.getCause() + ')');
            setupAck.cancel(false);
            streamEnd.complete(why);
        }
    }
}

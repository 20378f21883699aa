package io.cairn.client.internal;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import io.cairn.client.connection.ServerAddress;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connections without a server: the test takes the requests, answers them, and pushes. */
public final class FakeLink implements Link {

    private final Map<String, ServerLink.PushHandler> handlers = new ConcurrentHashMap<>();
    private final List<ServerLink.Listener> listeners = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private volatile @Nullable Connection connection;

    /** A request that the test answers. */
    public record Request(Connection over, String type, String body, CompletableFuture<Payload> answer) {}

    /** Replaces the connection by a new one. */
    public Connection connect() {
        Connection made = new Connection(
                new ServerAddress("nowhere", 1, 1, false),
                new NoChannel(),
                new OpenSockets(Duration.ofSeconds(1)),
                new Connection.Events() {
                    @Override
                    public @Nullable String onPush(Connection from, Payload push) {
                        throw new AssertionError("the test pushes by itself");
                    }

                    @Override
                    public void onEnd(Connection ended, String why) {
                        throw new AssertionError("the test ends no connection");
                    }
                });
        connection = made;
        listeners.forEach(listener -> listener.connected(made));
        return made;
    }

    /** The oldest request that was not returned yet; waits for it. */
    public Request next() throws InterruptedException {
        Request request = requests.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("no request was sent");
        }
        return request;
    }

    /** Whether every request was returned by {@link #next}. */
    public boolean isQuiet() {
        return requests.isEmpty();
    }

    /** Hands over a push and returns the id with which it is acknowledged. */
    public @Nullable String push(Connection over, Payload push) {
        return handlers.get(push.type()).receive(over, push);
    }

    @Override
    public void onPush(String type, ServerLink.PushHandler handler) {
        handlers.put(type, handler);
    }

    @Override
    public void addListener(ServerLink.Listener listener) {
        listeners.add(listener);
    }

    @Override
    public @Nullable Connection connection() {
        return connection;
    }

    @Override
    public CompletableFuture<Payload> requestNow(Connection over, String type, byte[] json) {
        Request request = new Request(over, type, Payload.of(type, json).bodyText(), new CompletableFuture<>());
        requests.add(request);
        return request.answer();
    }

    @Override
    public boolean down() {
        return false;
    }

    @Override
    public Optional<CairnException> lastFailure() {
        return Optional.empty();
    }

    @Override
    public boolean closed() {
        return false;
    }

    /** A connection opens its stream when it is made; nothing is sent over it. */
    private static final class NoChannel extends ManagedChannel {

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return new ClientCall<>() {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    throw new AssertionError("there is no server");
                }

                @Override
                public void request(int messages) {
                    throw new AssertionError("there is no server");
                }

                @Override
                public void cancel(@Nullable String message, @Nullable Throwable cause) {
                    throw new AssertionError("there is no server");
                }

                @Override
                public void halfClose() {
                    throw new AssertionError("there is no server");
                }

                @Override
                public void sendMessage(Q message) {
                    throw new AssertionError("there is no server");
                }
            };
        }

        @Override
        public String authority() {
            return "nowhere";
        }

        @Override
        public ManagedChannel shutdown() {
            return this;
        }

        @Override
        public ManagedChannel shutdownNow() {
            return this;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}

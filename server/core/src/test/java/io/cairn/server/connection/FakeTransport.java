package io.cairn.server.connection;

import io.cairn.api.wire.Payload;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The transport of a test's client, which passes messages on to the test.
 *
 * @param isReady false for a client that reads slowly
 * @param sent receives the messages
 * @param closed called at each close
 */
public record FakeTransport(Executor loop, boolean isReady, Consumer<Payload> sent, Runnable closed)
        implements ClientConnection.Transport {

    /** For a client that reads at once. */
    public static FakeTransport of(Executor loop, Consumer<Payload> sent) {
        return new FakeTransport(loop, true, sent, () -> {});
    }

    /** As {@link #of}; a close fails. */
    public static FakeTransport staysOpen(Executor loop, Consumer<Payload> sent) {
        return new FakeTransport(loop, true, sent, () -> {
            throw new AssertionError("no connection is closed here");
        });
    }

    /** Any use fails. */
    public static FakeTransport unused(Executor loop) {
        return staysOpen(loop, payload -> {
            throw new AssertionError("nothing is pushed here");
        });
    }

    @Override
    public void send(Payload payload) {
        sent.accept(payload);
    }

    @Override
    public void close(boolean stopping) {
        closed.run();
    }
}

package io.cairn.server.http2;

import io.cairn.api.wire.Framed;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** A gRPC call under way, as its handler sees it. */
public interface Call {

    /** Decides what becomes of the calls of one method. */
    @FunctionalInterface
    interface Handler {
        Listener start(Call call);

        /** Whether the calls have {@link Call#credentials}: they are read from the headers for such methods only. */
        default boolean takesCredentials() {
            return false;
        }
    }

    /**
     * The credentials among the headers of a call; empty where there are none.
     *
     * @param authorization the value of the header {@code authorization}
     * @param accessToken the value of the header {@code accessToken}
     */
    record Credentials(String authorization, String accessToken) {

        static final Credentials NONE = new Credentials("", "");

        @Override
        public String toString() {
            return "credentials";
        }
    }

    /** Receives the events of a call, one after the other, on the event loop of its channel. */
    interface Listener {

        /** @param message its bytes, which are the listener's own */
        void onMessage(byte[] message);

        /** A message has come whose bytes could not be decompressed within the limit. */
        void onUnreadable(String why);

        /** The client sends nothing more. */
        void onHalfClose();

        /** Nothing can be sent any more: the client has ended the call, or its connection has ended. */
        void onCancel();

        /** All that was to be sent is with the network. */
        default void onComplete() {}

        /** {@link Call#isReady} was false and is true again. */
        default void onReady() {}
    }

    /** The connection that it came by. */
    Channel channel();

    /** The header {@code user-agent}, in which the client's gRPC library names itself; empty when there is none. */
    String userAgent();

    /** The credentials of the call, where its handler takes them. */
    Credentials credentials();

    /** Whether a message would go to the network now rather than be kept; on the event loop. */
    boolean isReady();

    /** Tells the client that the call has begun, before there is anything to send; on the event loop. */
    void sendHeaders();

    /** Sends a message; on the event loop. */
    void send(Framed message);

    /** Ends it well; on the event loop. */
    default void finish() {
        finish(GrpcStatus.OK, null);
    }

    /** Ends it, after all that was sent; on the event loop. */
    void finish(GrpcStatus status, @Nullable String why);

    /** Sends the only message and ends it well; by any thread. */
    void answer(Framed message);
}

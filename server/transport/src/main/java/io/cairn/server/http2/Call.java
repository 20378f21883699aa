package io.cairn.server.http2;

import io.cairn.api.wire.Framed;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** A gRPC call in progress, for its handler. */
public interface Call {

    /** Handles the calls of one method. */
    @FunctionalInterface
    interface Handler {
        Listener start(Call call);

        /** Whether the handler uses {@link Call#credentials}, which are read for such methods only. */
        default boolean takesCredentials() {
            return false;
        }
    }

    /** The headers {@code authorization} and {@code accessToken}; empty when absent. */
    record Credentials(String authorization, String accessToken) {

        static final Credentials NONE = new Credentials("", "");

        @Override
        public String toString() {
            return "credentials";
        }
    }

    /** Receives the events of a call in sequence. */
    interface Listener {

        /** @param message owned by the listener */
        void onMessage(byte[] message);

        /** Whether the listener keeps messages until {@link #onHalfClose}, so that they count as incomplete. */
        default boolean awaitsHalfClose() {
            return false;
        }

        /** A message could not be decompressed within the limit. */
        void onUnreadable(String why);

        /** The client has ended its side. */
        void onHalfClose();

        /** The client or the connection has ended the call. */
        void onCancel();

        /** All output was passed to the network. */
        default void onComplete() {}

        /** {@link Call#isReady} was false and is true again. */
        default void onReady() {}
    }

    Channel channel();

    /** The header {@code user-agent} of the client's gRPC library; empty when absent. */
    String userAgent();

    Credentials credentials();

    /** Whether a message would be sent now, not queued. */
    boolean isReady();

    /** Sends the response head before the first message. */
    void sendHeaders();

    void send(Framed message);

    default void finish() {
        finish(GrpcStatus.OK, null);
    }

    /** Ends the call after all queued messages. */
    void finish(GrpcStatus status, @Nullable String why);

    /** Sends the only message and ends the call; on any thread. */
    void answer(Framed message);
}

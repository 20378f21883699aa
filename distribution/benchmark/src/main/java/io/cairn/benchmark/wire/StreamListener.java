package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Hears what comes back on one gRPC stream: its messages, then the end, once. Called on the connection's event loop. */
public interface StreamListener {
    /** The message is readable only until this returns. */
    void message(Envelope message);

    /**
     * @param failure null when the stream ended with status OK; else one line: the status, the reset, the lost connection
     */
    void end(@Nullable String failure);

    /** Whether it takes messages in {@link #piece}, as they arrive, so that none is ever kept whole. */
    default boolean takesPieces() {
        return false;
    }

    /**
     * The next {@code length} bytes of a message, without its gRPC prefix; readable only until this returns.
     *
     * @param left bytes of the message that are still to come; 0 ends it
     * @param compressed whether the message is, with gzip
     */
    default void piece(ByteBuf bytes, int index, int length, int left, boolean compressed) {
        throw new IllegalStateException("takes no pieces");
    }
}

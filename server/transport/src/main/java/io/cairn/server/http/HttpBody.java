package io.cairn.server.http;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A streamed body, used for one response. */
public interface HttpBody extends AutoCloseable {

    long UNKNOWN_LENGTH = -1;

    /** The length in bytes, or {@link #UNKNOWN_LENGTH}. */
    long length();

    /**
     * The next piece, requested after the former piece was sent; null after the last piece. An empty piece means that no
     * bytes are available yet. Never blocks or throws.
     */
    CompletionStage<byte @Nullable []> next();

    /** Whether the body ends only with its client; its connection is closed afterwards. */
    default boolean isEndless() {
        return false;
    }

    /** Called once, when the body was sent or is no longer needed; must not block or throw. */
    @Override
    void close();
}

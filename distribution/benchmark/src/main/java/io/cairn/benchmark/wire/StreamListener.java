package io.cairn.benchmark.wire;

import org.jspecify.annotations.Nullable;

/** Hears what comes back on one gRPC stream: its messages, then the end, once. Called on the connection's event loop. */
public interface StreamListener {
    /** The message is readable only until this returns. */
    void message(Envelope message);

    /**
     * @param failure null when the stream ended with status OK; else one line: the status, the reset, the lost connection
     */
    void end(@Nullable String failure);
}

package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One change on its way to all who watch it. Its bytes are encoded once for each spelling in use and shared by all
 * receivers, the request id included: an id need only be unique within a connection. Thread-safe.
 */
public abstract class Push {

    private final String requestId;
    private final long committedNanos;
    private final AtomicReferenceArray<@Nullable Payload> encoded;

    /**
     * @param committedNanos {@link System#nanoTime} of the durable commit
     * @param spellings in how many ways clients may spell what changed
     */
    protected Push(String requestId, long committedNanos, int spellings) {
        this.requestId = requestId;
        this.committedNanos = committedNanos;
        this.encoded = new AtomicReferenceArray<>(spellings);
    }

    public String requestId() {
        return requestId;
    }

    public long committedNanos() {
        return committedNanos;
    }

    /** The message for clients of that spelling. */
    public final Payload payload(int spelling) {
        Payload known = encoded.get(spelling);
        if (known == null) {
            known = encode(spelling);
            encoded.set(spelling, known);
        }
        return known;
    }

    /** Wire name of the message that answers this push. */
    public abstract String replyType();

    protected abstract Payload encode(int spelling);
}

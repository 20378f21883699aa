package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A change that is pushed to its watchers. Its bytes are encoded once for each spelling in use and shared by all
 * receivers, the request id included: an id need only be unique within a connection. Thread-safe.
 */
public abstract class Push {

    private final PushKind kind;
    private final String requestId;
    private final long committedNanos;
    private final AtomicReferenceArray<@Nullable Payload> encoded;

    /**
     * @param kind the settings for retries, and the meters
     * @param committedNanos {@link System#nanoTime} of the durable commit
     * @param spellings number of spellings that clients may use for the changed key
     */
    protected Push(PushKind kind, String requestId, long committedNanos, int spellings) {
        this.kind = kind;
        this.requestId = requestId;
        this.committedNanos = committedNanos;
        this.encoded = new AtomicReferenceArray<>(spellings);
    }

    /** The settings for retries, and the meters. */
    public PushKind kind() {
        return kind;
    }

    public String requestId() {
        return requestId;
    }

    public long committedNanos() {
        return committedNanos;
    }

    /** The message in that spelling. */
    public final Payload payload(int spelling) {
        Payload known = encoded.get(spelling);
        if (known == null) {
            known = encode(spelling);
            encoded.set(spelling, known);
        }
        return known;
    }

    /** Estimated size of the message in that spelling. */
    public int sizeBytes(int spelling) {
        return 256;
    }

    /** The push for that watcher: this one, unless watchers get different contents. */
    protected Push toldTo(Watcher watcher) {
        return this;
    }

    /** Wire name of the message that answers this push. */
    public abstract String replyType();

    /** Called on a receiver's event loop when it has acknowledged this push. */
    protected void acknowledged() {}

    protected abstract Payload encode(int spelling);
}

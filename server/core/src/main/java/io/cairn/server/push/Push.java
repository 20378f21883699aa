package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A change pushed to its watchers. Its bytes are encoded once for each variant and shared by all receivers, with the request id:
 * an id need only be unique within a connection.
 */
public abstract class Push {

    private final PushKind kind;
    private final String requestId;
    private final long committedNanos;
    private final AtomicReferenceArray<@Nullable Payload> encoded;

    /**
     * @param kind retries and meters
     * @param committedNanos {@link System#nanoTime} of the durable commit
     * @param variants number of the key's possible variants
     */
    protected Push(PushKind kind, String requestId, long committedNanos, int variants) {
        this.kind = kind;
        this.requestId = requestId;
        this.committedNanos = committedNanos;
        this.encoded = new AtomicReferenceArray<>(variants);
    }

    public PushKind kind() {
        return kind;
    }

    public String requestId() {
        return requestId;
    }

    public long committedNanos() {
        return committedNanos;
    }

    /** The message in that variant. */
    public final Payload payload(int variant) {
        Payload known = encoded.get(variant);
        if (known == null) {
            known = encode(variant);
            encoded.set(variant, known);
        }
        return known;
    }

    /** Estimated. */
    public int sizeBytes(int variant) {
        return 256;
    }

    /** The watcher's push: this one, unless contents differ by watcher. */
    protected Push forWatcher(Watcher watcher) {
        return this;
    }

    /** Wire name of the acknowledgement. */
    public abstract String replyType();

    /** Called on the event loop of a receiver that has acknowledged this push. */
    protected void acknowledged() {}

    protected abstract Payload encode(int variant);
}

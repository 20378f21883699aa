package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One change on its way to all who watch it. Its bytes are encoded once for each spelling in use and shared by all
 * receivers, the request id included: an id need only be unique within a connection. Thread-safe.
 */
public abstract class Push {

    private final PushKind kind;
    private final String requestId;
    private final long committedNanos;
    private final AtomicReferenceArray<@Nullable Payload> encoded;

    /**
     * @param kind how it is repeated and counted
     * @param committedNanos {@link System#nanoTime} of the durable commit
     * @param spellings in how many ways clients may spell what changed
     */
    protected Push(PushKind kind, String requestId, long committedNanos, int spellings) {
        this.kind = kind;
        this.requestId = requestId;
        this.committedNanos = committedNanos;
        this.encoded = new AtomicReferenceArray<>(spellings);
    }

    /** How it is repeated and counted. */
    public PushKind kind() {
        return kind;
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

    /** About how long its message is, known without encoding it. */
    public int sizeBytes() {
        return 256;
    }

    /** What that one is told: this push, unless those who watch are told different things. */
    protected Push toldTo(Watcher watcher) {
        return this;
    }

    /** Wire name of the message that answers this push. */
    public abstract String replyType();

    /** A receiver has acknowledged it; called on that one's event loop. */
    protected void acknowledged() {}

    protected abstract Payload encode(int spelling);
}

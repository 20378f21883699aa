package io.cairn.server.http2;

import io.cairn.api.wire.Framed;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop with unflushed output. Each connection is flushed once per turn of the loop, by one
 * task for all connections.
 */
final class FlushQueue implements Runnable {

    /** This number of waiting connections is flushed at once, to limit the delay of the first. */
    private static final int MANY = 64;

    /** The frames of a message of 256 KB, when each client accepts the same parts. */
    private static final int MOST_SHARED = 16;

    private static final FastThreadLocal<FlushQueue> OF_LOOP = new FastThreadLocal<>();

    private final Executor loop;
    private final ArrayDeque<Outbound> waiting = new ArrayDeque<>();
    /** The frames of one message, in creation order. */
    private final List<Shared> shared = new ArrayList<>(1);

    private @Nullable Framed sharedMessage;
    private int sharedStream;
    private boolean scheduled;

    private FlushQueue(Executor loop) {
        this.loop = loop;
    }

    /** The queue of the current event loop. */
    static FlushQueue of(Executor loop) {
        @Nullable FlushQueue present = OF_LOOP.get();
        if (present == null || present.loop != loop) {
            present = new FlushQueue(loop);
            OF_LOOP.set(present);
        }
        return present;
    }

    /**
     * A part of a message in its frame, shared by connections that send the message consecutively on the same stream number,
     * as clients of the same type do. The shared bytes stay in the processor's cache. The caller must write the frame and
     * call {@link #add} in the same turn of the loop.
     */
    @SuppressWarnings("ReferenceEquality") // compares identity
    ByteBuf share(int stream, Framed message, int from, int length, Outbound connection) {
        if (sharedMessage != message || sharedStream != stream) {
            forgetShared();
        }
        for (Shared known : shared) {
            if (known.from == from && known.length == length) {
                return known.frame.retainedDuplicate();
            }
        }
        ByteBuf frame = connection.frame(stream, message, from, length);
        if (shared.size() < MOST_SHARED) {
            shared.add(new Shared(from, length, frame));
            sharedMessage = message;
            sharedStream = stream;
            return frame.retainedDuplicate();
        }
        return frame;
    }

    private void forgetShared() {
        shared.forEach(each -> each.frame.release());
        shared.clear();
        sharedMessage = null;
    }

    void add(Outbound connection) {
        waiting.add(connection);
        if (waiting.size() >= MANY) {
            flush();
        } else if (!scheduled) {
            scheduled = true;
            loop.execute(this);
        }
    }

    @Override
    public void run() {
        scheduled = false;
        forgetShared();
        flush();
    }

    private void flush() {
        for (Outbound next = waiting.poll(); next != null; next = waiting.poll()) {
            next.flushIfDirty();
        }
    }

    private record Shared(int from, int length, ByteBuf frame) {}
}

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
 * The connections of one event loop that something was written to since they were flushed. What is written to a connection in
 * one turn of the loop goes out with one system call; and one task serves all connections. Used on its event loop.
 */
final class FlushQueue implements Runnable {

    /** So many that the first need not wait long for the last. */
    private static final int MANY = 64;

    /** Those of a message of 256 KB, when each client takes the same parts of it. */
    private static final int MOST_SHARED = 16;

    private static final FastThreadLocal<FlushQueue> OF_LOOP = new FastThreadLocal<>();

    private final Executor loop;
    private final ArrayDeque<Outbound> waiting = new ArrayDeque<>();
    /** Frames of one message, in the order in which they were made. */
    private final List<Shared> shared = new ArrayList<>(1);

    private @Nullable Framed sharedMessage;
    private int sharedStream;
    private boolean scheduled;

    private FlushQueue(Executor loop) {
        this.loop = loop;
    }

    /** That of the event loop which this is called on. */
    static FlushQueue of(Executor loop) {
        @Nullable FlushQueue present = OF_LOOP.get();
        if (present == null || present.loop != loop) {
            present = new FlushQueue(loop);
            OF_LOOP.set(present);
        }
        return present;
    }

    /**
     * Some bytes of a message in their frame. What goes to many connections in a row, and by the same number of the stream on each
     * of them (for one kind of client it is), is framed once: they send the same bytes, which stay in the processor's cache. To be
     * written, and {@link #add} to be called, before the loop turns to something else.
     */
    @SuppressWarnings("ReferenceEquality") // the same message, not one like it
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

package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The body of one request while it arrives, up to a limit. What is large takes from the memory budget, until
 * {@link #giveBack} when the request has been answered. Used on one event loop.
 */
final class RequestBody {

    private static final byte[] EMPTY = {};

    private final HttpMemory memory;
    private @Nullable CompositeByteBuf collected;
    private @Nullable Future<?> deadline;
    private int size;
    private int taken;

    RequestBody(HttpMemory memory) {
        this.memory = memory;
    }

    /** The outcome for a part. */
    enum Outcome {
        KEPT,
        TOO_LARGE,
        NO_MEMORY
    }

    /**
     * Keeps a part, if there is room for it.
     *
     * @param announced the whole length as the client says it is, in bytes; negative when it does not say
     * @param freely whether a small body may be kept without taking from the budget
     */
    Outcome add(ByteBufAllocator allocator, ByteBuf part, long announced, boolean freely) {
        long after = size + (long) part.readableBytes();
        int maxBytes = memory.maxBodyBytes();
        if (after > maxBytes) {
            return Outcome.TOO_LARGE;
        }
        if (taken == 0 && (after > MemoryBudget.SMALL_BYTES || !freely)) {
            // The need of the whole body: its announced length, or else the limit.
            int wanted = announced < 0 ? maxBytes : (int) Math.min(maxBytes, Math.max(announced, after));
            if (!memory.requests().take(wanted)) {
                return Outcome.NO_MEMORY;
            }
            taken = wanted;
        }
        CompositeByteBuf parts = collected;
        if (parts == null) {
            parts = allocator.compositeBuffer(1024);
            collected = parts;
        }
        parts.addComponent(true, part.retain());
        size = (int) after;
        return Outcome.KEPT;
    }

    /** Calls this unless what takes from the memory budget is all there in time; may be called again for each part. */
    void expire(EventExecutor loop, IntConsumer late) {
        if (taken > 0) {
            expireAll(loop, late);
        }
    }

    /** The same of any body; costs a task for each, so it is for those that do not come at once. */
    void expireAll(EventExecutor loop, IntConsumer late) {
        if (deadline == null) {
            int seconds = memory.secondsFor(Math.max(taken, MemoryBudget.SMALL_BYTES));
            deadline = loop.schedule(() -> late.accept(seconds), seconds, TimeUnit.SECONDS);
        }
    }

    /** Bytes kept. */
    int size() {
        return size;
    }

    /** Whether it has taken from the memory budget. */
    boolean isCounted() {
        return taken > 0;
    }

    /** All of it; what was kept on the way is let go. */
    byte[] bytes() {
        CompositeByteBuf parts = collected;
        if (parts == null) {
            return EMPTY;
        }
        byte[] bytes = new byte[parts.readableBytes()];
        parts.readBytes(bytes);
        letGo();
        return bytes;
    }

    /** Gives back what it has taken, and forgets its parts; may be called again. */
    void giveBack() {
        letGo();
        if (taken > 0) {
            memory.requests().release(taken);
            taken = 0;
        }
    }

    private void letGo() {
        Future<?> pending = deadline;
        if (pending != null) {
            pending.cancel(false);
        }
        CompositeByteBuf parts = collected;
        if (parts != null) {
            collected = null;
            parts.release();
        }
    }
}

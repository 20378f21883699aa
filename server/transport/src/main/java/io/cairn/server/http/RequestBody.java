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
 * Collects the body of one request up to a limit. A large body takes memory from the budget until {@link #release} after
 * the response.
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

    enum Outcome {
        KEPT,
        TOO_LARGE,
        NO_MEMORY
    }

    /**
     * Adds a part, if memory is available.
     *
     * @param announced the length of the body in bytes; negative when absent
     * @param freely whether a small body needs no memory from the budget
     */
    Outcome add(ByteBufAllocator allocator, ByteBuf part, long announced, boolean freely) {
        long after = size + (long) part.readableBytes();
        int maxBytes = memory.maxBodyBytes();
        if (after > maxBytes) {
            return Outcome.TOO_LARGE;
        }
        if (taken == 0 && (after > MemoryBudget.SMALL_BYTES || !freely)) {
            // The announced length of the whole body, otherwise the limit.
            int wanted = announced < 0 ? maxBytes : (int) Math.min(maxBytes, Math.max(announced, after));
            if (!memory.requests().tryReserve(wanted)) {
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

    /** Reports a large body that is not complete in time; may be called for each part. */
    void expire(EventExecutor loop, IntConsumer late) {
        if (taken > 0) {
            expireAll(loop, late);
        }
    }

    /** Reports any body that is not complete in time, at the cost of a task. */
    void expireAll(EventExecutor loop, IntConsumer late) {
        if (deadline == null) {
            int seconds = memory.secondsFor(Math.max(taken, MemoryBudget.SMALL_BYTES));
            deadline = loop.schedule(() -> late.accept(seconds), seconds, TimeUnit.SECONDS);
        }
    }

    int size() {
        return size;
    }

    /** Whether the body has taken memory from the budget. */
    boolean isCounted() {
        return taken > 0;
    }

    /** The whole body; releases the collected parts. */
    byte[] bytes() {
        CompositeByteBuf parts = collected;
        if (parts == null) {
            return EMPTY;
        }
        byte[] bytes = new byte[parts.readableBytes()];
        parts.readBytes(bytes);
        releaseParts();
        return bytes;
    }

    /** Releases the memory and the parts; may be called again. */
    void release() {
        releaseParts();
        if (taken > 0) {
            memory.requests().release(taken);
            taken = 0;
        }
    }

    private void releaseParts() {
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

package io.cairn.server.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The part of the {@link AnswerMemory} that one response uses. A single response may exceed the limit, so that every stored
 * content is readable. Thread-safe.
 */
public final class MemoryLease implements AutoCloseable {

    /** The number of copies of a large content between the database and the response. */
    private static final int COPIES = 3;

    private final AnswerMemory memory;

    @GuardedBy("this")
    private long taken;

    @GuardedBy("this")
    private boolean isClosed;

    MemoryLease(AnswerMemory memory) {
        this.memory = memory;
    }

    /** Reserves more bytes; false when they are not available or the lease is closed, and nothing was reserved. */
    public synchronized boolean tryReserve(long bytes) {
        if (isClosed || !memory.budget().tryReserve(bytes, taken)) {
            return false;
        }
        taken += bytes;
        return true;
    }

    /** True for a closed lease, which must not wait. */
    public synchronized boolean hasRoom(long bytes) {
        return isClosed || memory.budget().hasRoom(bytes, taken);
    }

    /** Like {@link #tryReserve}, for all copies of a content of this length. Small contents take nothing. */
    public boolean tryReserveContent(long length) {
        return length <= MemoryBudget.SMALL_BYTES || tryReserve(COPIES * length);
    }

    /** Like {@link #tryReserveContent}, but throws like {@link #reserve}. */
    public void reserveContent(long length) {
        if (!tryReserveContent(length)) {
            throw refusedContent(length);
        }
    }

    /** Counts a failed {@link #tryReserveContent} and returns its exception. */
    public NoRoomException refusedContent(long length) {
        return refused(COPIES * length);
    }

    /** @throws NoRoomException when the bytes are not available; nothing was reserved */
    public void reserve(long bytes) {
        if (!tryReserve(bytes)) {
            throw refused(bytes);
        }
    }

    /** Reserves the difference to this total, like {@link #reserve}. */
    public synchronized void cover(long bytes) {
        if (bytes > taken) {
            reserve(bytes - taken);
        }
    }

    /** Sets the total to the size of the response, regardless of the limit. */
    public synchronized void adjustTo(long bytes) {
        if (!isClosed) {
            memory.budget().add(bytes - taken);
            taken = bytes;
        }
    }

    public synchronized long taken() {
        return taken;
    }

    private synchronized NoRoomException refused(long bytes) {
        return new NoRoomException(isClosed ? "The client has gone" : memory.refusal(bytes), bytes);
    }

    /** Idempotent. */
    @Override
    public synchronized void close() {
        adjustTo(0);
        isClosed = true;
    }
}

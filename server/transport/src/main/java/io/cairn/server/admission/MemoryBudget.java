package io.cairn.server.admission;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of large messages of all clients. A rejected message takes nothing. A single message is always admitted,
 * regardless of the heap size. Thread-safe.
 */
public final class MemoryBudget {

    /** Messages up to this size are not counted. */
    public static final int SMALL_BYTES = 64 * 1024;

    /** Decoding holds a message about three times: the received bytes, the text, and the stored value. */
    private static final int COPIES = 3;

    private final long limitBytes;
    private final int copies;
    private final AtomicLong taken = new AtomicLong();

    /** A budget for messages that are decoded. */
    public MemoryBudget(long limitBytes) {
        this(limitBytes, COPIES);
    }

    /** @param copies of a message in memory */
    public MemoryBudget(long limitBytes, int copies) {
        this.limitBytes = limitBytes;
        this.copies = copies;
    }

    /** Reserves the memory for a message of this size; false when it is not available, and nothing was reserved. */
    public boolean tryReserve(long messageBytes) {
        return tryReserve(messageBytes, 0);
    }

    /** Like {@link #tryReserve(long)}, for a message that holds {@code ownBytes} already. */
    boolean tryReserve(long messageBytes, long ownBytes) {
        long needed = messageBytes * copies;
        long before = taken.getAndAdd(needed);
        if (isRoom(before, needed, ownBytes)) {
            return true;
        }
        taken.addAndGet(-needed);
        return false;
    }

    boolean hasRoom(long messageBytes, long ownBytes) {
        return isRoom(taken.get(), messageBytes * copies, ownBytes);
    }

    private boolean isRoom(long before, long needed, long ownBytes) {
        return before == ownBytes || before + needed <= limitBytes;
    }

    /** Takes bytes beyond the limit; a negative number releases bytes. */
    void add(long bytes) {
        taken.addAndGet(bytes);
    }

    public void release(long messageBytes) {
        taken.addAndGet(-messageBytes * copies);
    }

    public long reservedBytes() {
        return taken.get();
    }
}

package io.cairn.server.admission;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory that large messages of all clients take at the same time. A rejected message takes nothing. A single
 * message is always admitted, however small the heap is. Thread-safe.
 */
public final class MemoryBudget {

    /** Messages up to this size are not counted. */
    public static final int SMALL_BYTES = 64 * 1024;

    /** Decoding holds a message about three times: as it came, as text, and as what is stored. */
    private static final int COPIES = 3;

    private final long limitBytes;
    private final int copies;
    private final AtomicLong taken = new AtomicLong();

    /** A budget for messages that are decoded. */
    public MemoryBudget(long limitBytes) {
        this(limitBytes, COPIES);
    }

    /** @param copies how often a message is in memory while it counts */
    public MemoryBudget(long limitBytes, int copies) {
        this.limitBytes = limitBytes;
        this.copies = copies;
    }

    /** Takes what a message of that size needs; false when it is not there at the moment, and nothing was taken. */
    public boolean take(long messageBytes) {
        long needed = messageBytes * copies;
        long before = taken.getAndAdd(needed);
        if (before == 0 || before + needed <= limitBytes) {
            return true;
        }
        taken.addAndGet(-needed);
        return false;
    }

    /** Gives back what was taken for a message of that size. */
    public void release(long messageBytes) {
        taken.addAndGet(-messageBytes * copies);
    }

    /** Bytes taken at the moment. */
    public long takenBytes() {
        return taken.get();
    }
}

package io.cairn.server.push;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Limits the bytes of large pushes that are being sent to all receivers together. Each receiver has its own copy of the
 * bytes until it has read them, and a list of thousands of instances for thousands of subscribers would fill the
 * memory. A push without room waits for its turn. One large push is always sent, however small the limit. Thread-safe.
 */
public final class PushBudget {

    /** Pushes up to this size are not counted. */
    public static final int SMALL_BYTES = 64 * 1024;

    private final long limitBytes;
    private final AtomicLong taken = new AtomicLong();
    private final ConcurrentLinkedQueue<BooleanSupplier> waiting = new ConcurrentLinkedQueue<>();

    public PushBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Takes the bytes of a large push; false when they are not there at the moment, and nothing was taken. */
    public boolean take(int bytes) {
        long before = taken.getAndAdd(bytes);
        if (before == 0 || before + bytes <= limitBytes) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /**
     * Calls this once when there is room again. Call it after {@link #take} has returned false.
     *
     * @param turn returns false if its receiver is closed; the next turn is called then
     */
    public void await(BooleanSupplier turn) {
        waiting.add(turn);
        if (taken.get() == 0) {
            // All bytes were returned in between, so no other call would start the turn.
            next();
        }
    }

    public void release(int bytes) {
        taken.addAndGet(-bytes);
        next();
    }

    private void next() {
        BooleanSupplier turn = waiting.poll();
        while (turn != null && !turn.getAsBoolean()) {
            turn = waiting.poll();
        }
    }

    /** Bytes on their way at the moment. */
    public long takenBytes() {
        return taken.get();
    }
}

package io.cairn.server.push;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Limits the bytes of large pushes under way to all receivers. Each receiver has its own copy until it has read it, and a list of
 * thousands of instances for thousands of subscribers would fill the memory. Other pushes wait. One large push is always
 * sent, whatever the limit.
 */
public final class PushBudget {

    /** Smaller pushes do not count. */
    public static final int SMALL_BYTES = 64 * 1024;

    private final long limitBytes;
    private final AtomicLong taken = new AtomicLong();
    private final ConcurrentLinkedQueue<BooleanSupplier> waiting = new ConcurrentLinkedQueue<>();

    public PushBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** False if the bytes are unavailable; then nothing was reserved. */
    public boolean tryReserve(int bytes) {
        long before = taken.getAndAdd(bytes);
        if (before == 0 || before + bytes <= limitBytes) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /**
     * Calls {@code turn} once when bytes are available. Use it after {@link #tryReserve} has returned false.
     *
     * @param turn returns false for a closed receiver; then the next turn runs
     */
    public void await(BooleanSupplier turn) {
        waiting.add(turn);
        if (taken.get() == 0) {
            // All bytes were returned meanwhile, so no other call would start the turn.
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

    public long reservedBytes() {
        return taken.get();
    }
}

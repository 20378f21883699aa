package io.cairn.server.push;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * How many bytes of large pushes may be on their way to all receivers together: each has its own copy of the bytes until
 * it has read them, and a list of thousands of instances for thousands of subscribers would fill the memory. Who gets
 * none waits for its turn. One large push is always let through, however small the limit. Thread-safe.
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
     * Calls this once when there is room again; to be called after {@link #take} has said no.
     *
     * @param turn false when whoever it is is gone, and the turn is the next one's
     */
    public void await(BooleanSupplier turn) {
        waiting.add(turn);
        if (taken.get() == 0) {
            // All was given back in between, and nobody else would call.
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

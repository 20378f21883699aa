package io.cairn.server.http2;

import io.cairn.server.admission.MemoryBudget;
import io.netty.channel.Channel;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of incomplete requests of one connection: partial messages, and messages of calls that the client has not
 * ended. The first {@link MemoryBudget#SMALL_BYTES} are free; further messages take memory from the budget of all
 * connections and have a time limit.
 */
final class MessageMemory {

    static final String NO_ROOM = "Too many large messages are under way; try again shortly";

    private static final int SLOWEST_BYTES_PER_SECOND = 64 * 1024;

    private final MemoryBudget budget;
    private final long patienceSeconds;
    private long freeBytes;

    /** @param patienceSeconds the limit for a small message; longer for large messages */
    MessageMemory(MemoryBudget budget, long patienceSeconds) {
        this.budget = budget;
        this.patienceSeconds = patienceSeconds;
    }

    final class Lease {

        private final long bytes;
        private final boolean isFree;
        private @Nullable Future<?> deadline;

        private Lease(long bytes, boolean isFree) {
            this.bytes = bytes;
            this.isFree = isFree;
        }

        private void expire(Channel channel, IntConsumer late) {
            int seconds = (int) Math.min(Integer.MAX_VALUE, patienceSeconds + bytes / SLOWEST_BYTES_PER_SECOND);
            deadline = channel.eventLoop()
                    .schedule(
                            () -> {
                                if (channel.config().isAutoRead()) {
                                    late.accept(seconds);
                                } else {
                                    // Reads are paused, so the rest may have arrived.
                                    expire(channel, late);
                                }
                            },
                            seconds,
                            TimeUnit.SECONDS);
        }

        /** Call once. */
        void close() {
            if (isFree) {
                freeBytes -= bytes;
            } else {
                budget.release(bytes);
            }
            Future<?> pending = deadline;
            if (pending != null) {
                pending.cancel(false);
            }
        }
    }

    /**
     * Reserves the memory for an incomplete request.
     *
     * @param late receives the time limit in seconds, unless the lease is closed before
     * @return null when the memory is not available
     */
    @Nullable
    Lease reserve(long bytes, Channel channel, IntConsumer late) {
        Lease lease = reserve(bytes);
        if (lease != null && !lease.isFree) {
            lease.expire(channel, late);
        }
        return lease;
    }

    /** Takes memory without a time limit; null when it is not available. */
    @Nullable
    Lease reserve(long bytes) {
        boolean isFree = bytes <= MemoryBudget.SMALL_BYTES - freeBytes;
        if (isFree) {
            freeBytes += bytes;
        } else if (!budget.tryReserve(bytes)) {
            return null;
        }
        return new Lease(bytes, isFree);
    }
}

package io.cairn.server.limit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the requests of one caller in each second, without a lock. */
public final class RequestRate {

    private static final int COUNT_BITS = 32;
    private static final long COUNT = (1L << COUNT_BITS) - 1;

    /** The second and its count in one value. */
    private final AtomicLong window = new AtomicLong();

    /**
     * Counts a request.
     *
     * @param nanoTime as of {@link System#nanoTime}
     * @return the count of this second, with this request
     */
    public long count(long nanoTime) {
        long second = second(nanoTime);
        long seen = window.get();
        if (seen >>> COUNT_BITS != second && window.compareAndSet(seen, second << COUNT_BITS | 1)) {
            return 1;
        }
        return window.incrementAndGet() & COUNT;
    }

    long at(long nanoTime) {
        long seen = window.get();
        return seen >>> COUNT_BITS == second(nanoTime) ? seen & COUNT : 0;
    }

    private static long second(long nanoTime) {
        return TimeUnit.NANOSECONDS.toSeconds(nanoTime) & (COUNT >>> 1);
    }
}

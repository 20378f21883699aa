package io.cairn.server.limit;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Limits the requests of one caller in a second. A check takes no lock and allocates nothing. */
public final class RequestLimit {

    private static final long RECENTLY_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int NOTED_EVERY = 256;

    private final Limit limit;
    private final LongSupplier nanoTime;
    private volatile long busiest;
    private volatile long busiestAtNanos;

    public RequestLimit(Limit limit) {
        this(limit, System::nanoTime);
    }

    RequestLimit(Limit limit, LongSupplier nanoTime) {
        this.limit = limit;
        this.nanoTime = nanoTime;
        limit.measuredBy(this::recently);
    }

    public Limit limit() {
        return limit;
    }

    /**
     * Counts a request.
     *
     * @throws CairnException with the name of the limit if the caller exceeds it
     */
    public void check(RequestRate caller) {
        long now = nanoTime.getAsLong();
        long count = caller.count(now);
        // Rarely, because all callers write to the same variable.
        if ((count & count - 1) == 0 || count % NOTED_EVERY == 0) {
            note(count, now);
        }
        if (count > limit.max() && !limit.allows(count)) {
            throw refusal(count);
        }
    }

    private void note(long count, long now) {
        if (count >= busiest || now - busiestAtNanos > RECENTLY_NANOS) {
            busiest = count;
            busiestAtNanos = now;
        }
    }

    private CairnException refusal(long count) {
        return limit.exceeded(ErrorCode.BUSY, count);
    }

    private long recently() {
        return nanoTime.getAsLong() - busiestAtNanos > RECENTLY_NANOS ? 0 : busiest;
    }
}

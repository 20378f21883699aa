package io.cairn.server.xds.view;

import java.util.concurrent.TimeUnit;

/**
 * The pace of a view: it publishes the first change at once, then rests for the estimated cost of sending (10 us for each receiver
 * and 2 ns for each byte, at most 2 s). Changes meanwhile are published together. A publication for new subscriptions, which do not
 * wait, does not shorten the rest. For the mesh thread.
 */
public final class MeshPace {

    private static final long NANOS_PER_RECEIVER = 10_000;
    private static final long NANOS_PER_BYTE = 2;
    private static final long MIN_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_REST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private long restsUntilNanos;
    private boolean rests;

    /** The remaining rest, or 0. */
    public long restNanos(long nowNanos) {
        return rests ? Math.max(0, restsUntilNanos - nowNanos) : 0;
    }

    /** @param bytes for each receiver */
    public void published(long nowNanos, int receivers, long bytes) {
        long rest = Math.min(receivers * (NANOS_PER_RECEIVER + NANOS_PER_BYTE * bytes), MAX_REST_NANOS);
        long left = restNanos(nowNanos);
        rests = left > 0 || rest >= MIN_REST_NANOS;
        restsUntilNanos = nowNanos + Math.max(rest, left);
    }
}

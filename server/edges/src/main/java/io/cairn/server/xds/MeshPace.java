package io.cairn.server.xds;

import java.util.concurrent.TimeUnit;

/**
 * How often a view publishes: the first change at once, then after a rest for as long as sending it is estimated to cost (10 us for each
 * receiver and 2 ns for each byte, at most 2 s). Changes during the rest are published together at its end. A publication for new
 * subscriptions, which do not wait for that, makes the rest no shorter. Used on the thread of the mesh.
 */
final class MeshPace {

    private static final long NANOS_PER_RECEIVER = 10_000;
    private static final long NANOS_PER_BYTE = 2;
    private static final long MIN_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_REST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private long restsUntilNanos;
    private boolean rests;

    /** How long the view still rests; 0 when it does not. */
    long restNanos(long nowNanos) {
        return rests ? Math.max(0, restsUntilNanos - nowNanos) : 0;
    }

    /** @param bytes that each receiver gets */
    void published(long nowNanos, int receivers, long bytes) {
        long rest = Math.min(receivers * (NANOS_PER_RECEIVER + NANOS_PER_BYTE * bytes), MAX_REST_NANOS);
        long left = restNanos(nowNanos);
        rests = left > 0 || rest >= MIN_REST_NANOS;
        restsUntilNanos = nowNanos + Math.max(rest, left);
    }
}

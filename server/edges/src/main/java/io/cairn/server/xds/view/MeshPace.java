package io.cairn.server.xds.view;

import java.util.concurrent.TimeUnit;

/**
 * The pace of a view: it publishes the first change at once, then cools down for the estimated cost of sending (10 us for each receiver
 * and 2 ns for each byte, at most 2 s). Changes meanwhile are published together. A publication for new subscriptions, which do not
 * wait, does not shorten the cool-down. For the mesh thread.
 */
public final class MeshPace {

    private static final long NANOS_PER_RECEIVER = 10_000;
    private static final long NANOS_PER_BYTE = 2;
    private static final long MIN_COOL_DOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_COOL_DOWN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private long coolDownUntilNanos;
    private boolean coolsDown;

    /** The remaining cool-down, or 0. */
    public long coolDownNanos(long nowNanos) {
        return coolsDown ? Math.max(0, coolDownUntilNanos - nowNanos) : 0;
    }

    /** @param bytes for each receiver */
    public void published(long nowNanos, int receivers, long bytes) {
        long coolDown = Math.min(receivers * (NANOS_PER_RECEIVER + NANOS_PER_BYTE * bytes), MAX_COOL_DOWN_NANOS);
        long left = coolDownNanos(nowNanos);
        coolsDown = left > 0 || coolDown >= MIN_COOL_DOWN_NANOS;
        coolDownUntilNanos = nowNanos + Math.max(coolDown, left);
    }
}

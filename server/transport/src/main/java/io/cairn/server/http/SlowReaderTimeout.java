package io.cairn.server.http;

import io.cairn.server.limit.Limit;
import java.util.concurrent.TimeUnit;

/**
 * Detects clients that read responses too slowly, by the average rate since the begin: a socket may accept many bytes at
 * once and then none for a long time, although its client reads steadily. Needs no clock. Used on one event loop.
 */
final class SlowReaderTimeout {

    private static final double MEGABYTE = 1024.0 * 1024;

    private final Limit secondsPerMegabyte;
    private final long patienceNanos;
    private long sinceNanos;
    private long pausedNanos;
    private long bytes;
    private boolean isRunning;
    private boolean isPaused;

    /**
     * @param secondsPerMegabyte the limit
     * @param patienceSeconds the time before the first check
     */
    SlowReaderTimeout(Limit secondsPerMegabyte, int patienceSeconds) {
        this.secondsPerMegabyte = secondsPerMegabyte;
        this.patienceNanos = TimeUnit.SECONDS.toNanos(patienceSeconds);
    }

    boolean isRunning() {
        return isRunning;
    }

    void begin(long nowNanos) {
        isRunning = true;
        isPaused = false;
        sinceNanos = nowNanos;
        bytes = 0;
    }

    /** Records further written bytes. */
    void given(long more) {
        bytes += more;
    }

    /** Stops the time while the server reads a disk. */
    void pause(long nowNanos) {
        isPaused = true;
        pausedNanos = nowNanos;
    }

    void goOn(long nowNanos) {
        if (isPaused) {
            isPaused = false;
            sinceNanos += nowNanos - pausedNanos;
        }
    }

    void end() {
        isRunning = false;
    }

    /** Whether the client is too slow, which is counted. */
    boolean isTooSlow(long nowNanos) {
        if (!isRunning || isPaused) {
            return false;
        }
        double seconds = (nowNanos - sinceNanos - patienceNanos) / 1e9;
        double perMegabyte = seconds * MEGABYTE / Math.max(bytes, 1);
        return perMegabyte > secondsPerMegabyte.max() && !secondsPerMegabyte.allows((long) Math.ceil(perMegabyte));
    }
}

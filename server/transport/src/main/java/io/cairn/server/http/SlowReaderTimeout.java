package io.cairn.server.http;

import io.cairn.server.limit.Limit;
import java.util.concurrent.TimeUnit;

/**
 * How quickly a client takes what it has asked for, since that began and not from one look to the next: a socket takes much at
 * once and then nothing for long from whoever reads slowly but steadily. Has no clock of its own. Used on one event loop.
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
     * @param secondsPerMegabyte that a client may take
     * @param patienceSeconds before anybody looks
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

    /** So much more is on its way to the client. */
    void given(long more) {
        bytes += more;
    }

    /** It is not for the client that nothing goes on, but for a disk. */
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

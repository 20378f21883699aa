package io.cairn.server.http;

import io.cairn.server.limit.Limit;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Detects clients that read responses too slowly, by the average rate since the begin: a socket may accept many bytes at
 * once and then nothing for a long time, although its client reads steadily. Checks regularly, by one task per connection.
 */
final class SlowReaderTimeout {

    private static final double MEGABYTE = 1024.0 * 1024;

    private final Limit secondsPerMegabyte;
    private final int patienceSeconds;
    private final EventExecutor loop;
    private final Runnable tooSlow;
    private final LongSupplier nanoTime;
    private long sinceNanos;
    private long pausedNanos;
    private long bytes;
    private boolean isRunning;
    private boolean isPaused;
    private boolean isDue;

    /**
     * @param secondsPerMegabyte the limit
     * @param patienceSeconds the time before the first check and between checks
     * @param tooSlow called after {@link #end} for a slow client
     */
    SlowReaderTimeout(Limit secondsPerMegabyte, int patienceSeconds, EventExecutor loop, Runnable tooSlow) {
        this(secondsPerMegabyte, patienceSeconds, loop, tooSlow, System::nanoTime);
    }

    SlowReaderTimeout(
            Limit secondsPerMegabyte,
            int patienceSeconds,
            EventExecutor loop,
            Runnable tooSlow,
            LongSupplier nanoTime) {
        this.secondsPerMegabyte = secondsPerMegabyte;
        this.patienceSeconds = patienceSeconds;
        this.loop = loop;
        this.tooSlow = tooSlow;
        this.nanoTime = nanoTime;
    }

    boolean isRunning() {
        return isRunning;
    }

    /** @param written bytes before */
    void begin(long written) {
        isRunning = true;
        isPaused = false;
        sinceNanos = nanoTime.getAsLong();
        bytes = written;
        if (!isDue) {
            checkLater();
        }
    }

    /** Records further written bytes. */
    void given(long more) {
        bytes += more;
    }

    /** Stops the time while the server reads a disk. */
    void pause() {
        isPaused = true;
        pausedNanos = nanoTime.getAsLong();
    }

    void resume() {
        if (isPaused) {
            isPaused = false;
            sinceNanos += nanoTime.getAsLong() - pausedNanos;
        }
    }

    void end() {
        isRunning = false;
    }

    private void checkLater() {
        isDue = true;
        loop.schedule(this::check, patienceSeconds, TimeUnit.SECONDS);
    }

    private void check() {
        isDue = false;
        if (!isRunning) {
            return;
        }
        if (isTooSlow()) {
            isRunning = false;
            tooSlow.run();
        } else {
            checkLater();
        }
    }

    /** Whether the client is too slow, which is counted. */
    boolean isTooSlow() {
        if (!isRunning || isPaused) {
            return false;
        }
        double seconds = (nanoTime.getAsLong() - sinceNanos) / 1e9 - patienceSeconds;
        double perMegabyte = seconds * MEGABYTE / Math.max(bytes, 1);
        return perMegabyte > secondsPerMegabyte.max() && !secondsPerMegabyte.allows((long) Math.ceil(perMegabyte));
    }
}

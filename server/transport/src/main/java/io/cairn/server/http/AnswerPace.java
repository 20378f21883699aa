package io.cairn.server.http;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Checks regularly, by one task per connection, whether a client reads a large response too slowly. Used on the event loop
 * of the connection.
 */
final class AnswerPace {

    private final SlowReaderTimeout timeout;
    private final int seconds;
    private final EventExecutor loop;
    private final Runnable tooSlow;
    private boolean isDue;

    /** @param tooSlow called after {@link #end} for a slow client */
    AnswerPace(HttpMemory memory, EventExecutor loop, Runnable tooSlow) {
        this.timeout = memory.pace();
        this.seconds = memory.patienceSeconds();
        this.loop = loop;
        this.tooSlow = tooSlow;
    }

    boolean isRunning() {
        return timeout.isRunning();
    }

    /** @param bytes written before */
    void begin(long bytes) {
        timeout.begin(System.nanoTime());
        timeout.given(bytes);
        if (!isDue) {
            checkLater();
        }
    }

    /** Records further written bytes. */
    void given(long bytes) {
        timeout.given(bytes);
    }

    /** Stops the time while the server reads a disk. */
    void pause() {
        timeout.pause(System.nanoTime());
    }

    void goOn() {
        timeout.goOn(System.nanoTime());
    }

    void end() {
        timeout.end();
    }

    private void checkLater() {
        isDue = true;
        loop.schedule(this::check, seconds, TimeUnit.SECONDS);
    }

    private void check() {
        isDue = false;
        if (!timeout.isRunning()) {
            return;
        }
        if (timeout.isTooSlow(System.nanoTime())) {
            timeout.end();
            tooSlow.run();
        } else {
            checkLater();
        }
    }
}

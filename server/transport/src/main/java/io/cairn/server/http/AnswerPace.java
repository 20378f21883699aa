package io.cairn.server.http;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Checks regularly whether a client takes its responses too slowly: by one task for each connection, and none while no large
 * response is under way. Used on the event loop of the connection.
 */
final class AnswerPace {

    private final SlowReaderTimeout timeout;
    private final int seconds;
    private final EventExecutor loop;
    private final Runnable tooSlow;
    private boolean isDue;

    /** @param tooSlow called when the client is too slow, after {@link #end} */
    AnswerPace(HttpMemory memory, EventExecutor loop, Runnable tooSlow) {
        this.timeout = memory.pace();
        this.seconds = memory.patienceSeconds();
        this.loop = loop;
        this.tooSlow = tooSlow;
    }

    boolean isRunning() {
        return timeout.isRunning();
    }

    /** @param bytes that are on their way already */
    void begin(long bytes) {
        timeout.begin(System.nanoTime());
        timeout.given(bytes);
        if (!isDue) {
            checkLater();
        }
    }

    /** More bytes are on their way to the client. */
    void given(long bytes) {
        timeout.given(bytes);
    }

    /** Nothing is on its way, because the server has to read a disk. */
    void pause() {
        timeout.pause(System.nanoTime());
    }

    void goOn() {
        timeout.goOn(System.nanoTime());
    }

    /** The client has all of it, or has gone. */
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

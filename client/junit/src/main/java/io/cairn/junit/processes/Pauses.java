package io.cairn.junit.processes;

import java.util.concurrent.TimeUnit;

/** The pause between two checks of another process. */
final class Pauses {

    private static final long MILLIS = 20;

    private Pauses() {}

    static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a process", e);
        }
    }
}

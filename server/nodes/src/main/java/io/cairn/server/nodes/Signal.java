package io.cairn.server.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Signals that Java cannot send. */
enum Signal {
    TERM,
    KILL,
    /** The process does nothing until {@link #CONT}, while the system keeps its connections open. */
    STOP,
    CONT;

    private static final long PATIENCE_SECONDS = 60;

    void send(long pid) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name(), Long.toString(pid))
                    .redirectErrorStream(true)
                    .start();
            if (!kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new AssertionError("signal " + name() + " for the process " + pid + " failed: " + kill);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}

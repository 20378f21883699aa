package io.cairn.server.nodes;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Signals that Java cannot send. */
enum Signal {
    TERM,
    KILL,
    /** The process stops until {@link #CONT}; the system keeps its connections open. */
    STOP,
    CONT;

    void send(long pid) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name(), Long.toString(pid))
                    .redirectErrorStream(true)
                    .start();
            if (!kill.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || kill.exitValue() != 0) {
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

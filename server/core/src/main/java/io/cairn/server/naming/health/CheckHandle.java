package io.cairn.server.naming.health;

/** The watch over one subject. */
public interface CheckHandle {

    /**
     * Ends the watch. Idempotent, never blocks. A probe that is under way runs out and is not reported; a report that has
     * begun in another thread may still finish.
     */
    void stop();
}

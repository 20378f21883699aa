package io.cairn.server.naming.health;

public interface CheckHandle {

    /** Idempotent, never blocks. A running probe is not reported; a begun report may still finish. */
    void stop();
}

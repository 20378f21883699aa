package io.cairn.server.wiring.lifecycle;

/** How far the server's life has come. Thread-safe. */
public final class ServerPhase {

    private volatile Phase phase = Phase.LOADING;

    enum Phase {
        /** The stored state is not in memory yet; no client is served. */
        LOADING,
        SERVING,
        /** Connected clients are served until they have moved; new ones are refused. */
        DRAINING,
        STOPPED
    }

    /** Whether clients are taken. */
    public boolean isReady() {
        return phase == Phase.SERVING;
    }

    /** Whether requests of clients that are here are answered: from the first one on, until their connections have ended. */
    public boolean isServing() {
        return phase != Phase.LOADING;
    }

    Phase now() {
        return phase;
    }

    void set(Phase next) {
        phase = next;
    }
}

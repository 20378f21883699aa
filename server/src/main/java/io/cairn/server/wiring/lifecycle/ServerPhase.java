package io.cairn.server.wiring.lifecycle;

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

    public boolean isReady() {
        return phase == Phase.SERVING;
    }

    /** Whether requests of connected clients are answered: from the first one until their connections end. */
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

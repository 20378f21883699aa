package io.cairn.server.wiring;

/** Whether clients are taken. Thread-safe. */
final class ServerPhase {

    private volatile boolean ready;

    boolean isReady() {
        return ready;
    }

    void set(boolean isReady) {
        ready = isReady;
    }
}

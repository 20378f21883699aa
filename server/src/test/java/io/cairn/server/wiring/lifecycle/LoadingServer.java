package io.cairn.server.wiring.lifecycle;

import io.cairn.server.support.InspectableServer;

/** Has a running server refuse clients as it does while it loads what is stored, until this is closed. */
public final class LoadingServer implements AutoCloseable {

    private final ServerPhase phase;

    public LoadingServer(InspectableServer server) {
        phase = server.part(ServerPhase.class);
        phase.set(ServerPhase.Phase.LOADING);
    }

    @Override
    public void close() {
        phase.set(ServerPhase.Phase.SERVING);
    }
}

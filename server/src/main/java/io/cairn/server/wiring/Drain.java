package io.cairn.server.wiring;

import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.naming.NamingService;
import io.cairn.server.subscription.ConfigListeners;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets those who are connected go elsewhere before the server stops: nobody new is let in, clients are asked to move,
 * parked polls are answered, and what is under way is waited for.
 */
final class Drain {

    private static final long LOOK_MILLIS = 10;
    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    private final Duration patience;
    private final ServerPhase phase;
    private final ServerPorts ports;
    private final ConnectionRegistry connections;
    private final ConfigListeners listeners;
    private final EventHub events;
    private final NamingService naming;

    /** @param patience for which clients are waited for at most; with zero nobody is asked and nobody is waited for */
    Drain(
            Duration patience,
            ServerPhase phase,
            ServerPorts ports,
            ConnectionRegistry connections,
            ConfigListeners listeners,
            EventHub events,
            NamingService naming) {
        this.patience = patience;
        this.phase = phase;
        this.ports = ports;
        this.connections = connections;
        this.listeners = listeners;
        this.events = events;
        this.naming = naming;
    }

    /** Blocks until all have gone, at most for the patience. */
    void run() {
        if (patience.isZero()) {
            return;
        }
        long deadline = System.nanoTime() + patience.toNanos();
        phase.set(ServerPhase.Phase.DRAINING);
        // A client that moves must not take its instances away: it may come back to this server.
        naming.keepInstancesOfTheGone();
        ports.stopAccepting();
        List<ClientConnection> asked = List.copyOf(connections.connections());
        // No address: any other server of the client's list. Where there is none, the client tries this one until it is
        // back, and uses its present connection meanwhile.
        asked.forEach(connection -> connections.reset(connection, "", ports.httpPort()));
        // First told to end, then answered: so the answer says that the connection closes.
        ports.finishHttp();
        listeners.release();
        events.release();
        if (!asked.isEmpty()) {
            log.info("Draining: {} clients are asked to move, within {} ms", asked.size(), patience.toMillis());
        }
        try {
            while (!isEmpty() && System.nanoTime() - deadline < 0) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!isEmpty()) {
            log.info(
                    "Still here after {} ms: {} clients over gRPC and {} over HTTP; their connections are closed"
                            + " (cairn.shutdown.drain)",
                    patience.toMillis(),
                    connections.size(),
                    ports.openHttpConnections());
        }
    }

    private boolean isEmpty() {
        return connections.size() == 0 && ports.openHttpConnections() == 0;
    }
}

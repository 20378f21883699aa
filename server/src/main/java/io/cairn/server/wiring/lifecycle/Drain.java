package io.cairn.server.wiring.lifecycle;

import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.ClusterProperties;
import io.cairn.server.xds.XdsStreams;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the clients before the server stops: refuses new ones, asks connected ones to move, answers parked polls, waits for running
 * requests. In a cluster, gRPC clients move in waves (see {@code EvacuationMoves}), and the server waits until the other nodes have
 * its publications. When no other node is in service, because all stop at once, it waits as a single server. The lists from the
 * begin of the drain are kept for the next start.
 */
public final class Drain {

    private static final long LOOK_MILLIS = 10;
    /** A moved client registers at its new node within this time; the other nodes keep the instances of others anyway. */
    private static final Duration HANDOVER = Duration.ofSeconds(5);
    /** The other nodes must be out of service for this time, because one may be so for a moment. */
    private static final Duration SURELY_ALONE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    private final Patience patience;
    private final ClusterLifecycle cluster;
    private final ServerPorts ports;
    private final ConnectionRegistry connections;
    private final HeldRequests held;
    private final Registry registry;
    private final XdsStreams mesh;

    /**
     * The longest wait for clients; zero moves no client.
     *
     * @param alone without other nodes
     * @param inCluster with other nodes in service
     */
    public record Patience(Duration alone, Duration inCluster) {

        public static Duration longest(CairnProperties properties, ClusterProperties cluster, boolean isNode) {
            Duration alone = properties.shutdown().drain();
            return isNode && cluster.drainTimeout().compareTo(alone) > 0 ? cluster.drainTimeout() : alone;
        }
    }

    public Drain(
            Patience patience,
            ClusterLifecycle cluster,
            ServerPorts ports,
            ConnectionRegistry connections,
            HeldRequests held,
            Registry registry,
            XdsStreams mesh) {
        this.patience = patience;
        this.cluster = cluster;
        this.ports = ports;
        this.connections = connections;
        this.held = held;
        this.registry = registry;
        this.mesh = mesh;
    }

    /**
     * Blocks until all clients have disconnected, or the patience ends.
     *
     * @return whether remaining clients can move to other nodes in service
     */
    boolean run() {
        // Before the registry changes, so that no mesh client sees that.
        mesh.close();
        // A moving client must not remove its instances: it may come back to this server. All other expiry ends, too.
        registry.keepOnDisconnect();
        cluster.drain();
        boolean hasOthers = cluster.hasOthers();
        Duration limit = hasOthers ? patience.inCluster : patience.alone;
        if (limit.isZero()) {
            return false;
        }
        long start = System.nanoTime();
        ports.stopAccepting();
        List<ClientConnection> present = List.copyOf(connections.connections());
        if (!cluster.isNode()) {
            // Without an address: any other server of the client's list. Without one, the client tries this server
            // until it is back, and uses its present connection meanwhile.
            present.forEach(connection -> connections.reset(connection, "", ports.httpPort(), MoveReason.DRAINING));
        }
        // Finish before the answer, so that the answer announces the close of the connection.
        ports.finishHttp();
        held.release();
        if (!present.isEmpty()) {
            log.info("Draining: {} clients are asked to move, within {} ms", present.size(), limit.toMillis());
        }
        try {
            boolean isAlone = !awaitClients(start, limit, hasOthers);
            boolean isEmpty = isEmpty();
            if (isEmpty && !isAlone) {
                long emptyAfter = System.nanoTime() - start;
                Duration left = limit.minusNanos(emptyAfter);
                await(
                        () -> cluster.owned() == 0 || !cluster.hasOthers(),
                        System.nanoTime(),
                        left.compareTo(HANDOVER) < 0 ? left : HANDOVER);
                log.info(
                        "Drained: all clients of {} left within {} ms, and after {} ms the other nodes have all but {}"
                                + " publications, which they keep until the clients are back or their time is over",
                        present.size(),
                        TimeUnit.NANOSECONDS.toMillis(emptyAfter),
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
                        cluster.owned());
            } else if (!isEmpty) {
                log.info(
                        "Still connected after {} ms: {} clients over gRPC and {} over HTTP; their connections are closed ({})",
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
                        connections.size(),
                        ports.openHttpConnections(),
                        !hasOthers
                                ? "cairn.shutdown.drain"
                                : isAlone ? "no other node is in service any more" : "cairn.cluster.drain-timeout");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return hasOthers && cluster.hasOthers();
    }

    /**
     * Waits until all clients have disconnected, the limit is reached, or no other node has been in service for the wait of a single
     * server.
     *
     * @return whether other nodes are in service
     */
    private boolean awaitClients(long start, Duration limit, boolean hasOthers) throws InterruptedException {
        Duration alone = patience.alone.compareTo(SURELY_ALONE) < 0 ? SURELY_ALONE : patience.alone;
        long[] lastWithOthers = {start};
        await(
                () -> {
                    long now = System.nanoTime();
                    if (hasOthers && cluster.hasOthers()) {
                        lastWithOthers[0] = now;
                    }
                    return isEmpty() || hasOthers && now - lastWithOthers[0] >= alone.toNanos();
                },
                start,
                limit);
        return hasOthers && cluster.hasOthers();
    }

    private static void await(BooleanSupplier condition, long start, Duration limit) throws InterruptedException {
        while (!condition.getAsBoolean() && System.nanoTime() - start < limit.toNanos()) {
            // Neither the connections nor the streams of the nodes have an event, and the limit bounds the wait.
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private boolean isEmpty() {
        return connections.size() == 0 && ports.openHttpConnections() == 0;
    }
}

package io.cairn.server.wiring.lifecycle;

import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.naming.NamingService;
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
 * Has the clients connect elsewhere before the server stops: new ones are refused, connected ones are asked to move, parked polls are
 * answered, and requests under way are waited for. In a cluster, the clients of gRPC move in waves (see {@code EvacuationMoves}), and the
 * server waits until the other nodes have what it owns.
 */
public final class Drain {

    private static final long LOOK_MILLIS = 10;
    /** A client that has moved registers at its new node within this time; for others, the other nodes keep the instances anyway. */
    private static final Duration HANDOVER = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    private final Patience patience;
    private final ClusterLifecycle cluster;
    private final ServerPorts ports;
    private final ConnectionRegistry connections;
    private final HeldRequests held;
    private final NamingService naming;
    private final XdsStreams mesh;

    /**
     * For how long clients are waited for at most; with zero none is asked and none is waited for.
     *
     * @param alone where clients have no other node
     * @param inCluster where other nodes are in service
     */
    public record Patience(Duration alone, Duration inCluster) {

        /** The longer one, for the limit of the whole stop. */
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
            NamingService naming,
            XdsStreams mesh) {
        this.patience = patience;
        this.cluster = cluster;
        this.ports = ports;
        this.connections = connections;
        this.held = held;
        this.naming = naming;
        this.mesh = mesh;
    }

    /** Blocks until all have gone, at most for the patience. */
    void run() {
        // Before anything is taken out of the registry, so that no client of the mesh sees that.
        mesh.close();
        cluster.drain();
        boolean hasOthers = cluster.hasOthers();
        Duration limit = hasOthers ? patience.inCluster : patience.alone;
        if (limit.isZero()) {
            return;
        }
        long start = System.nanoTime();
        // A client that moves must not take its instances away: it may come back to this server.
        naming.keepInstancesOfTheGone();
        ports.stopAccepting();
        List<ClientConnection> present = List.copyOf(connections.connections());
        if (!cluster.isNode()) {
            // No address: any other server of the client's list. Where there is none, the client tries this one until
            // it is back, and uses its present connection meanwhile.
            present.forEach(connection -> connections.reset(connection, "", ports.httpPort(), MoveReason.DRAINING));
        }
        // First told to end, then answered: so the answer says that the connection closes.
        ports.finishHttp();
        held.release();
        if (!present.isEmpty()) {
            log.info("Draining: {} clients are asked to move, within {} ms", present.size(), limit.toMillis());
        }
        try {
            await(this::isEmpty, start, limit);
            boolean isEmpty = isEmpty();
            if (isEmpty && hasOthers) {
                long emptyAfter = System.nanoTime() - start;
                Duration left = limit.minusNanos(emptyAfter);
                await(() -> cluster.owned() == 0, System.nanoTime(), left.compareTo(HANDOVER) < 0 ? left : HANDOVER);
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
                        limit.toMillis(),
                        connections.size(),
                        ports.openHttpConnections(),
                        hasOthers ? "cairn.cluster.drain-timeout" : "cairn.shutdown.drain");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(BooleanSupplier condition, long start, Duration limit) throws InterruptedException {
        while (!condition.getAsBoolean() && System.nanoTime() - start < limit.toNanos()) {
            // Neither the connections nor the streams of the nodes have an event for it, and the limit bounds the wait.
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private boolean isEmpty() {
        return connections.size() == 0 && ports.openHttpConnections() == 0;
    }
}

package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigView;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.storage.JdbcConfigStore;
import io.cairn.server.storage.StoreWriter;
import io.cairn.server.xds.XdsStreams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the parts in the order of the data's way: what is stored is in memory before a port is bound, so nobody is ever
 * told that something does not exist only because it was not loaded yet. Stops them the other way round.
 */
final class ServerLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ServerLifecycle.class);

    private final JdbcConfigStore store;
    private final ConfigView view;
    private final StoreWriter writer;
    private final DatabaseLifecycle database;
    private final PushDispatcher<ConfigKey> dispatcher;
    private final NamingLifecycle naming;
    private final AccessLifecycle access;
    private final ServerPorts ports;
    private final ServerPhase phase;
    private final Drain drain;
    private final ClusterLifecycle cluster;
    private final XdsStreams mesh;
    private volatile boolean running;

    ServerLifecycle(
            JdbcConfigStore store,
            ConfigView view,
            StoreWriter writer,
            DatabaseLifecycle database,
            PushDispatcher<ConfigKey> dispatcher,
            NamingLifecycle naming,
            AccessLifecycle access,
            ServerPorts ports,
            ServerPhase phase,
            Drain drain,
            ClusterLifecycle cluster,
            XdsStreams mesh) {
        this.store = store;
        this.view = view;
        this.writer = writer;
        this.database = database;
        this.dispatcher = dispatcher;
        this.naming = naming;
        this.access = access;
        this.ports = ports;
        this.phase = phase;
        this.drain = drain;
        this.cluster = cluster;
        this.mesh = mesh;
    }

    @Override
    public void start() {
        database.load(store);
        access.start();
        dispatcher.start();
        naming.load();
        // The instances of the other nodes are here before a client can ask for them.
        cluster.join();
        boolean isKnownToOthers = cluster.isKnownToOthers();
        naming.recover(isKnownToOthers);
        cluster.recover(isKnownToOthers);
        database.start();
        phase.set(ServerPhase.Phase.SERVING);
        ports.start();
        naming.opened();
        cluster.opened();
        running = true;
        log.info(
                "Serving {} configurations and {} services; HTTP port {}, gRPC port {}",
                view.size(),
                naming.naming().serviceCount(),
                ports.httpPort(),
                ports.grpcPort());
    }

    @Override
    public void stop() {
        // Before anything is taken out of the registry, so that no client of the mesh sees that.
        mesh.close();
        cluster.drain();
        drain.run();
        // No new request is taken; what was taken is written and answered before the lines are closed. Those who are
        // still
        // connected are served until here, and told by their connections' end, not by a refusal.
        ports.finishGrpc();
        phase.set(ServerPhase.Phase.STOPPED);
        naming.freeze();
        cluster.freeze();
        database.stopFollowing();
        writer.close();
        database.stop();
        ports.close();
        dispatcher.close();
        naming.stop();
        cluster.leave();
        running = false;
        log.info("Stopped");
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}

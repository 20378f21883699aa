package io.cairn.server.wiring.lifecycle;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.push.PushDispatcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the parts in the order of the data's way: what is stored is in memory before a port is bound, so nobody is ever
 * told that something does not exist only because it was not loaded yet. Stops them the other way round.
 */
public final class ServerLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ServerLifecycle.class);

    private final DatabaseLifecycle database;
    private final AccessLifecycle access;
    private final PushDispatcher<ConfigKey> dispatcher;
    private final NamingLifecycle naming;
    private final ClusterLifecycle cluster;
    private final ServerPorts ports;
    private final Drain drain;
    private volatile boolean running;

    public ServerLifecycle(
            DatabaseLifecycle database,
            AccessLifecycle access,
            PushDispatcher<ConfigKey> dispatcher,
            NamingLifecycle naming,
            ClusterLifecycle cluster,
            ServerPorts ports,
            Drain drain) {
        this.database = database;
        this.access = access;
        this.dispatcher = dispatcher;
        this.naming = naming;
        this.cluster = cluster;
        this.ports = ports;
        this.drain = drain;
    }

    @Override
    public void start() {
        database.load();
        access.start();
        dispatcher.start();
        naming.load();
        // The instances of the other nodes are here before a client can ask for them.
        cluster.join();
        boolean isKnownToOthers = cluster.isKnownToOthers();
        naming.recover(isKnownToOthers);
        cluster.recover(isKnownToOthers);
        database.start();
        ports.start();
        naming.opened();
        cluster.opened();
        running = true;
        log.info(
                "Serving {} configurations and {} services; HTTP port {}, gRPC port {}",
                database.configurations(),
                naming.naming().serviceCount(),
                ports.httpPort(),
                ports.grpcPort());
    }

    @Override
    public void stop() {
        drain.run();
        // No new request is accepted; accepted ones are written and answered before the connections are closed. Clients
        // that are still connected are served until here, and notice the stop by the end of their connections.
        ports.finishGrpc();
        naming.freeze();
        cluster.freeze();
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

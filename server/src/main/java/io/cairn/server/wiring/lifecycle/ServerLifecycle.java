package io.cairn.server.wiring.lifecycle;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.push.PushDispatcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the parts in the order of the data: the stored state is in memory before a port is bound, so no client misses data that
 * was not loaded yet. Stops them in reverse order.
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
        // The instances of the other nodes are here before the first client.
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
                naming.reads().serviceCount(),
                ports.httpPort(),
                ports.grpcPort());
    }

    @Override
    public void stop() {
        boolean hasOthers = drain.run();
        // Refuses new requests; accepted ones are written and answered before the connections close. Connected clients
        // are served until here. The end of their streams and the answers to further calls send them to another node;
        // without one, they see the end of their connections.
        if (hasOthers) {
            ports.redirectGrpc();
        } else {
            ports.finishGrpc();
        }
        naming.freeze();
        cluster.freeze();
        database.stop();
        cluster.answerWriters();
        if (hasOthers) {
            ports.awaitRedirected();
            ports.finishGrpc();
        }
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

package io.cairn.server.cluster;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.replication.ClusterClock;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import io.netty.util.HashedWheelTimer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** A node with a registry, connected as the server connects them, on a channel and a table of the test. */
final class RegistryNode implements AutoCloseable {

    private static final Duration WINDOW = Duration.ofSeconds(15);
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(30);

    final NodeId id;
    final RegistryParts naming;
    final ClusterNode cluster;
    private final HashedWheelTimer timer = new HashedWheelTimer();

    RegistryNode(
            NodeId id,
            List<MemberAddress> members,
            GroupChannel channel,
            NodeTable rows,
            LocalServer server,
            Clock clock) {
        this.id = id;
        ClusterClock groupClock = new ClusterClock(clock);
        this.naming = RegistryParts.of(
                new NamingSettings(Duration.ofMinutes(1), Duration.ofDays(1), WINDOW, true),
                new Switches(),
                timer,
                clock);
        this.cluster = new ClusterNode(
                new NodeSettings(id, id.httpPort(), 9848, "test", JOIN_TIMEOUT),
                new MemberList(members),
                HostResolver.SYSTEM,
                channel,
                rows,
                naming.mirrored(),
                naming.registrations(),
                sdk -> WINDOW,
                server,
                groupClock,
                clock);
        naming.registry().joinGroup(id.address(), groupClock::stamp, cluster.changes());
        cluster.everySecond(naming.renewal()::everySecond);
    }

    /** Joins, and is in service when the states allow it. */
    void start() {
        cluster.join();
        cluster.awaitCopies();
        cluster.open();
    }

    /** A client with a connection to this node registers an instance. */
    void register(String connection, ServiceKey service, Instance instance) {
        Publisher.Client client = new Publisher.Client(instance.key().ip(), 0, "test", "Nacos-Java-Client:v2.5.1");
        naming.registrations().register(naming.registry().connection(connection, client), service, List.of(instance));
    }

    @Override
    public void close() {
        cluster.close();
        timer.stop();
    }

    @Override
    public String toString() {
        return id.address();
    }
}

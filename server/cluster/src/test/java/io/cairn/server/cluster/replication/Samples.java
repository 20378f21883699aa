package io.cairn.server.cluster.replication;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.EncodedInstances;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Entries and messages of two nodes. */
final class Samples {

    static final NodeId A = new NodeId("10.0.0.1:8848", 1_000);
    static final NodeId B = new NodeId("10.0.0.2:8848", 2_000);
    static final NodeId C = new NodeId("10.0.0.3:8848", 3_000);
    static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "orders");

    /** A node in service, without load. */
    static final LocalNode READY_NODE = new LocalNode() {
        @Override
        public Description description() {
            return new Description(9848, 9849, "0.2.0", NodeState.READY, 0, "");
        }

        @Override
        public Load load() {
            return new Load(0, 0, 0);
        }
    };

    private Samples() {}

    static RegistryParts registry(Timer timer, Clock clock) {
        return RegistryParts.of(
                new NamingSettings(Duration.ofMinutes(1), Duration.ofDays(1), Duration.ofSeconds(15), true),
                new Switches(),
                timer,
                clock);
    }

    static PublisherDescription publisher(String id) {
        return new PublisherDescription(
                id,
                id.endsWith("#true") ? Publisher.Kind.HTTP : Publisher.Kind.CONNECTION,
                new Publisher.Client("10.1.0.1", 1, "shop", id.startsWith("python") ? "python" : "java"));
    }

    static MirroredPublication publication(String id, int port) {
        return new MirroredPublication(
                publisher(id), SERVICE, 1L << 20, EncodedInstances.of(List.of(Instance.of("10.1.0.1", port))));
    }

    static RegistryEntry published(long sequence, String id, int port) {
        return new RegistryEntry.Published(sequence, publication(id, port));
    }

    static RegistryEntry gone(long sequence, String id) {
        return new RegistryEntry.Gone(sequence, id, SERVICE);
    }

    static RegistryEntry moved(long sequence, String id) {
        return new RegistryEntry.Moved(sequence, id, SERVICE, C.address());
    }

    static ClusterMessage.Hello hello(NodeId node, long stream, long sequence, int protocol) {
        return new ClusterMessage.Hello(
                node, 9848, 9849, "0.2.0", protocol, protocol, NodeState.READY, stream, sequence, 0, "");
    }

    static ClusterMessage.Delta delta(long stream, long from, long to, RegistryEntry... entries) {
        return new ClusterMessage.Delta(stream, A.incarnation(), from, to, List.of(entries));
    }

    static ClusterMessage.Snapshot snapshot(
            long stream, int part, boolean last, long at, long endsSince, RegistryEntry... entries) {
        return new ClusterMessage.Snapshot(stream, A.incarnation(), part, last, at, endsSince, List.of(entries));
    }

    static ClusterMessage.Heartbeat heartbeat(long stream, OwnLog.Summary summary, long clock) {
        return new ClusterMessage.Heartbeat(
                stream, summary.sequence(), summary.count(), summary.digest(), NodeState.READY, clock, 0, 0, 0);
    }
}

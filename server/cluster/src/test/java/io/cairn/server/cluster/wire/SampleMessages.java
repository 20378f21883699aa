package io.cairn.server.cluster.wire;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A message of each kind, with each kind of entry and each field of an instance. */
final class SampleMessages {

    private static final NodeId NODE = new NodeId("10.0.0.1:8848", 1_767_323_045_678L);
    private static final ServiceKey ORDERS = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "orders");
    private static final ServiceKey PAYMENTS =
            new ServiceKey(Namespace.ofNullable("eu-1"), "billing", "payments-übung");
    private static final InstanceKey KEY = new InstanceKey("10.1.0.7", 8080, InstanceKey.DEFAULT_CLUSTER);
    private static final PublisherDescription CONNECTION = new PublisherDescription(
            "1767323045678_10.1.0.7_51234",
            Publisher.Kind.CONNECTION,
            new Publisher.Client("10.1.0.7", 51_234, "shop", "Nacos-Java-Client:v3.0.3"));
    private static final PublisherDescription HTTP = new PublisherDescription(
            "10.1.0.8:8080#true", Publisher.Kind.HTTP, new Publisher.Client("10.1.0.8", 8080, "", ""));
    private static final long TIME = 1_767_323_045_678L << 20;

    private SampleMessages() {}

    private static List<Instance> instances() {
        Map<String, String> metadata = new LinkedHashMap<>();
        metadata.put("version", "1.2");
        metadata.put("länge", "");
        return List.of(
                Instance.of("10.1.0.7", 8080),
                new Instance(new InstanceKey("host.example", 0, "blue"), 0.5, false, false, false, metadata, "host#1"));
    }

    private static ClusterMessage.Forward.Write write(
            ClusterMessage.Forward.Kind kind, LossCause cause, long publishedAt) {
        return new ClusterMessage.Forward.Write(
                kind, ORDERS, Instance.of("10.1.0.8", 8080).withHealthy(false), cause, publishedAt);
    }

    private static List<RegistryEntry> entries() {
        return List.of(
                new RegistryEntry.Published(
                        4, new MirroredPublication(CONNECTION, ORDERS, TIME, EncodedInstances.of(instances()))),
                new RegistryEntry.Published(
                        5, new MirroredPublication(CONNECTION, PAYMENTS, TIME + 1, EncodedInstances.of(List.of()))),
                new RegistryEntry.Published(
                        6,
                        new MirroredPublication(
                                HTTP, ORDERS, TIME + 2, EncodedInstances.of(List.of(Instance.of("10.1.0.8", 8080))))),
                new RegistryEntry.Gone(7, "1767323045678_10.1.0.9_51235", ORDERS),
                new RegistryEntry.Moved(8, "10.1.0.9:8080#true", PAYMENTS, "10.0.0.2:8848"),
                new RegistryEntry.Checked(9, PAYMENTS, KEY, false),
                new RegistryEntry.Unchecked(10, PAYMENTS, new InstanceKey("10.1.0.9", 8080, "green")),
                new RegistryEntry.Forgotten(300, ORDERS, KEY, TIME + 3));
    }

    static List<ClusterMessage> all() {
        List<ClusterMessage.InstanceOfService> beats = List.of(
                new ClusterMessage.InstanceOfService(ORDERS, KEY),
                new ClusterMessage.InstanceOfService(PAYMENTS, new InstanceKey("10.1.0.9", 8080, "green")));
        return List.of(
                new ClusterMessage.Hello(
                        NODE, 9848, 9849, "0.2.0", 1, 1, NodeState.JOINING, 17, 4_711, -5L, "sha256:ab"),
                new ClusterMessage.StreamPosition(17, NODE.incarnation(), 4_711),
                new ClusterMessage.StreamPosition(18, NODE.incarnation(), ClusterMessage.StreamPosition.NONE),
                new ClusterMessage.Delta(17, NODE.incarnation(), 3, 300, entries()),
                new ClusterMessage.Snapshot(17, NODE.incarnation(), 2, true, 300, 120, entries()),
                new ClusterMessage.Heartbeat(17, 4_711, 100_000, 1L << 63, NodeState.READY, TIME >> 20, 99, 2_500, 120),
                new ClusterMessage.SnapshotRequest(17),
                new ClusterMessage.RevisionNotice(128),
                new ClusterMessage.RevisionApplied(127),
                new ClusterMessage.Forward(
                        9,
                        List.of(
                                new ClusterMessage.Forward.Write(
                                        ClusterMessage.Forward.Kind.REGISTER,
                                        ORDERS,
                                        instances().get(1)),
                                new ClusterMessage.Forward.Write(
                                        ClusterMessage.Forward.Kind.DEREGISTER,
                                        PAYMENTS,
                                        instances().get(0)))),
                new ClusterMessage.Forwarded(
                        9,
                        List.of(
                                ClusterMessage.Forwarded.Result.DONE,
                                ClusterMessage.Forwarded.Result.refused("", "the service is persistent"))),
                new ClusterMessage.Beats(beats),
                new ClusterMessage.UnknownBeats(beats.subList(1, 2)),
                new ClusterMessage.Question(11, "connections", Map.of("ip", "10.1.0.7")),
                new ClusterMessage.Answer(11, "{\"connections\":[]}"),
                new ClusterMessage.LoginFailures("nacos", "10.1.0.7", 3),
                new ClusterMessage.Orphans(new NodeId("10.0.0.3:8848", 5), 12_000, 0, true, entries()),
                new ClusterMessage.DepartedPosition(new NodeId("10.0.0.3:8848", 5), 299),
                new ClusterMessage.Leaving(),
                new ClusterMessage.Fragment(1, true, new byte[] {1, 2, 3}),
                new ClusterMessage.Forward(
                        10,
                        List.of(
                                write(ClusterMessage.Forward.Kind.REGISTER, LossCause.DEREGISTERED, TIME),
                                write(ClusterMessage.Forward.Kind.DEREGISTER, LossCause.REMOVED, 0),
                                write(ClusterMessage.Forward.Kind.BEAT, LossCause.DEREGISTERED, 0),
                                write(ClusterMessage.Forward.Kind.LIGHT_BEAT, LossCause.DEREGISTERED, 0),
                                write(ClusterMessage.Forward.Kind.HEALTH, LossCause.DEREGISTERED, 0))),
                new ClusterMessage.Forwarded(
                        10,
                        List.of(
                                new ClusterMessage.Forwarded.Result(false, 0, null),
                                new ClusterMessage.Forwarded.Result(true, 3_000, null),
                                ClusterMessage.Forwarded.Result.refused("OTHER_KIND", "persistent"))),
                new ClusterMessage.Answer(
                        12, "", new ClusterMessage.Forwarded.Refusal("UNSUPPORTED", "no such question")),
                new ClusterMessage.Orphans(new NodeId("10.0.0.3:8848", 5), -9_000, 1, true, List.of()),
                new ClusterMessage.Heartbeat(
                        17,
                        4_711,
                        100_000,
                        1L << 63,
                        NodeState.READY,
                        TIME >> 20,
                        99,
                        2_500,
                        120,
                        0,
                        new ClusterMessage.Heartbeat.Followed(300, 60_000, 0, 0)),
                new ClusterMessage.Heartbeat(
                        17,
                        4_711,
                        100_000,
                        1L << 63,
                        NodeState.READY,
                        TIME >> 20,
                        99,
                        2_500,
                        120,
                        0,
                        new ClusterMessage.Heartbeat.Followed(0, 60_000, 0, -5)));
    }
}

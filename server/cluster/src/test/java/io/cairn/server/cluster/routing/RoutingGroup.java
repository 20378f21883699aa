package io.cairn.server.cluster.routing;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.group.ClientAdoption;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Nodes with a registry and a routing each, whose messages take the time that a test sets, or are lost. Time moves by hand. */
final class RoutingGroup {

    static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");

    final HandDrivenLoop loop = new HandDrivenLoop();
    final Map<NodeId, Node> nodes = new LinkedHashMap<>();
    private final ClusterCodec codec = new ClusterCodec();

    /** How long a message takes; null for one that is lost. */
    Function<ClusterMessage, @Nullable Duration> network = message -> Duration.ofMillis(1);

    /** All messages, in the order in which they were sent. */
    final List<Sent> sent = new ArrayList<>();

    record Sent(NodeId from, NodeId to, ClusterMessage message) {}

    RoutingGroup(int size) {
        IntStream.rangeClosed(1, size)
                .mapToObj(i -> new NodeId("10.0.0." + i + ":8848", 1))
                .forEach(id -> {
                    nodes.put(id, new Node(id));
                });
        Map<NodeId, NodeState> all = new HashMap<>();
        nodes.keySet().forEach(id -> all.put(id, NodeState.READY));
        nodes.values().forEach(node -> node.view(all));
    }

    Node node(int number) {
        return nodes.get(new NodeId("10.0.0." + number + ":8848", 1));
    }

    /** An instance of a client that this node owns by the view of all nodes. */
    Instance ownedBy(Node owner) {
        return ownedBy(owner, 0);
    }

    Instance ownedBy(Node owner, int number) {
        return IntStream.range(0, 100_000)
                .mapToObj(i -> Instance.of("10.1.0.1", i))
                .filter(each -> node(1).owners.ownerOf(each.key()).equals(owner.id))
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    <M extends ClusterMessage> List<M> sent(Class<M> kind) {
        return sent.stream()
                .map(Sent::message)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    final class Node {

        final NodeId id;
        final RegistryParts naming = RegistryParts.of(
                new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
                new Switches(),
                loop,
                new SettableClock());
        final OwnerTable owners;
        final RecordedAdoption adoption = new RecordedAdoption(this);
        final List<String> healthSet = new ArrayList<>();
        final ClusterRouting routing;
        Map<NodeId, NodeState> members = Map.of();

        Node(NodeId id) {
            this.id = id;
            this.owners = new OwnerTable(id, new ClientOwnership(id.address()));
            this.routing = new ClusterRouting(
                    owners,
                    naming.leases(),
                    naming.recovery(),
                    adoption,
                    (service, instance, healthy) -> healthSet.add(instance.ip() + ' ' + healthy),
                    this::send,
                    loop,
                    loop);
        }

        void view(Map<NodeId, NodeState> now) {
            members = Map.copyOf(now);
            routing.membersAre(members);
        }

        void viewWithout(Node gone) {
            Map<NodeId, NodeState> left = new HashMap<>(members);
            left.remove(gone.id);
            view(left);
        }

        void sees(Node other, NodeState state) {
            Map<NodeId, NodeState> now = new HashMap<>(members);
            now.put(other.id, state);
            view(now);
        }

        private boolean send(NodeId to, ClusterMessage message) {
            if (!members.containsKey(to)) {
                return false;
            }
            sent.add(new Sent(id, to, message));
            Duration delay = network.apply(message);
            Node receiver = nodes.get(to);
            if (delay != null && receiver != null) {
                byte[] encoded = codec.encode(message);
                loop.newTimeout(
                        due -> receiver.routing.message(id, Objects.requireNonNull(codec.decode(encoded))),
                        delay.toNanos(),
                        TimeUnit.NANOSECONDS);
            }
            return true;
        }

        boolean publishes(Instance instance) {
            Publisher publisher = naming.reads().publisher(ClientOwnership.clientId(instance.key()));
            return publisher != null && naming.reads().publishedBy(publisher).containsKey(SERVICE);
        }

        /** The node is notified of what another one publishes. */
        void mirrors(Node other, Instance instance, long publishedAt) {
            adoption.mirrored.put(
                    ClientOwnership.clientId(instance.key()),
                    new ClientAdoption.KnownClient(other.id, publishedAt, instance));
        }
    }

    /** The part of the registry that moves clients, on top of a registry without mirrored publications. */
    static final class RecordedAdoption implements ClientAdoption {

        private final Node node;
        final Map<String, KnownClient> mirrored = new LinkedHashMap<>();
        final Map<String, Long> adopted = new LinkedHashMap<>();
        int walks;

        RecordedAdoption(Node node) {
            this.node = node;
        }

        @Override
        public @Nullable KnownClient find(ServiceKey service, InstanceKey instance) {
            String client = ClientOwnership.clientId(instance);
            Publisher own = node.naming.reads().publisher(client);
            List<Instance> published =
                    own == null ? null : node.naming.reads().publishedBy(own).get(service);
            return published == null
                    ? mirrored.get(client)
                    : new KnownClient(null, adopted.getOrDefault(client, 1_000_000L), published.get(0));
        }

        @Override
        public void adopt(ServiceKey service, Instance instance, long publishedAt) {
            adopted.put(ClientOwnership.clientId(instance.key()), publishedAt);
            node.naming.leases().register(service, instance);
        }

        @Override
        public int adopt(Predicate<String> isOwn) {
            walks++;
            return List.copyOf(mirrored.keySet()).stream()
                    .filter(isOwn)
                    .mapToInt(this::adopt)
                    .sum();
        }

        @Override
        public int adopt(String clientId) {
            KnownClient known = mirrored.get(clientId);
            if (known == null || node.publishes(known.instance())) {
                return 0;
            }
            adopt(SERVICE, known.instance(), known.publishedAt());
            return 1;
        }

        @Override
        public int handOver(Predicate<String> isOwn) {
            return ownClients().stream()
                    .filter(isOwn.negate())
                    .mapToInt(this::handOver)
                    .sum();
        }

        @Override
        public int handOver(String clientId) {
            KnownClient theirs = mirrored.get(clientId);
            if (theirs == null || !node.publishes(theirs.instance())) {
                return 0;
            }
            node.naming.recovery().deregisterOverHttp(SERVICE, theirs.instance().key(), LossCause.DEREGISTERED);
            return 1;
        }

        @Override
        public List<String> ownClients() {
            return node.naming.reads().publishers().stream().map(Publisher::id).toList();
        }
    }
}

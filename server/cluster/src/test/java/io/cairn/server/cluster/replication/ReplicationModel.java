package io.cairn.server.cluster.replication;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.group.CopyMemory;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes with clients, driven through one random schedule of faults. The first thing that must not happen ends it with an {@link
 * AssertionError}.
 */
final class ReplicationModel {

    private static final long SECOND = 1_000 * LocalGroup.MILLI;
    static final Duration WINDOW = Duration.ofSeconds(15);
    private static final String EPOCH = "epoch";
    /** A node notices a pause that is longer. */
    private static final long NOTICED_PAUSE = 2 * SECOND;

    private final LocalGroup group;
    private final Function<NodeRegistry.Surroundings, NodeRegistry> registries;
    private final int faults;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final Map<InstanceKey, Client> byInstance = new HashMap<>();
    private final List<String> story = new ArrayList<>();
    private final String[] addresses = {"10.0.0.1:8848", "10.0.0.2:8848", "10.0.0.3:8848"};
    private long starts = 1_800_000_000_000L;

    /**
     * @param faults how many faults the schedule has; the schedule of fewer ones is the beginning of that of more
     * @param registries makes the registry of a node
     */
    ReplicationModel(long seed, int faults, Function<NodeRegistry.Surroundings, NodeRegistry> registries) {
        this.group = new LocalGroup(seed);
        this.registries = registries;
        this.faults = faults;
    }

    /** The events of the schedule, for the text of a failure. */
    List<String> story() {
        return story;
    }

    int lostMessages() {
        return group.lost;
    }

    private void tell(String what) {
        story.add(group.now() / LocalGroup.MILLI + " ms: " + what);
    }

    void run() {
        for (String address : addresses) {
            start(address);
        }
        group.runUntil(5 * SECOND);
        for (int i = 0; i < 9; i++) {
            Client client = i % 3 == 2 ? new HttpClient(i) : new ConnectedClient(i);
            clients.add(client);
            byInstance.put(client.key, client);
            group.after(group.between(0, 2_000), client::begin);
        }
        long at = 9 * SECOND;
        for (int i = 0; i < faults; i++) {
            at += group.between(200, 9_000);
            group.runUntil(at);
            fault();
            for (int j = group.random.nextInt(4); j > 0; j--) {
                Client client = clients.get(group.random.nextInt(clients.size()));
                int act = group.random.nextInt(7);
                group.after(group.between(0, 3_000), () -> client.act(act));
            }
        }
        group.calm();
        // Longer than the longest fault, its discovery, the merge, the windows and the leases.
        group.runUntil(group.now() + 80 * SECOND);
        checkAtRest();
    }

    private void fault() {
        Node node = nodes.get(group.random.nextInt(nodes.size()));
        int kind = group.random.nextInt(7);
        // Longer than the others keep the instances of a node that they cannot see.
        long length = group.between(1_000, kind == 6 ? 26_000 : 20_000);
        if (nodes.stream().anyMatch(other -> other.station.isWithoutDatabase())) {
            // Its clients have a few seconds to move. When one of the two that are left dies as well, that is too
            // short.
            return;
        }
        if (nodes.stream().anyMatch(other -> other.isInTrouble())) {
            // A second fault at the same time, such as that the node which takes over dies as well, at most.
            if (nodes.stream().filter(Node::isInTrouble).count() > 1 || kind > 2) {
                return;
            }
        }
        if (node.isInTrouble()) {
            return;
        }
        node.troubleUntil = group.now() + length + 17 * SECOND;
        switch (kind) {
            case 0, 1 -> {
                tell("crash of " + node.id);
                group.crash(node.station);
                node.lost();
                int index = nodes.indexOf(node);
                group.after(length, () -> nodes.set(index, started(node.id.address(), nodes.get(index))));
            }
            case 2, 3 -> {
                tell("pause of " + node.id + " for " + length / LocalGroup.MILLI + " ms");
                group.pause(node.station, length);
                node.paused(length);
            }
            case 6 -> {
                tell("split of " + node.id + " from all and the database for " + length / LocalGroup.MILLI + " ms");
                group.splitFromAll(node.station, length);
            }
            default -> {
                tell("split of " + node.id + " for " + length / LocalGroup.MILLI + " ms");
                group.split(node.station, length);
                node.split();
            }
        }
    }

    private void start(String address) {
        nodes.add(started(address, null));
    }

    private Node started(String address, @Nullable Node before) {
        starts += 1_000;
        Node node = new Node(new NodeId(address, starts));
        if (before != null) {
            tell("restart of " + node.id);
            node.knownFromBefore = before.knownCopies();
            node.troubleUntil = Math.max(before.troubleUntil, group.now() + 10 * SECOND);
        }
        node.begin();
        return node;
    }

    private @Nullable Node nodeOf(NodeId id) {
        return nodes.stream().filter(node -> node.id.equals(id)).findFirst().orElse(null);
    }

    private @Nullable Node anyInService() {
        List<Node> all = nodes.stream()
                .filter(node -> node.station.isRunning() && node.ready)
                .toList();
        return all.isEmpty() ? null : all.get(group.random.nextInt(all.size()));
    }

    private void unlisted(Node node, InstanceKey instance) {
        Client client = byInstance.get(instance);
        if (client == null || !node.ready || !client.isAlive) {
            return;
        }
        // A node that was away may have missed the end of a connection, but the client is at another one for long.
        boolean isLongThere = client.isRegistered && client.registeredAt < node.wasAwayUntil - SECOND;
        if (isLongThere && !client.hasDeregistered || node.seenEpochs.getOrDefault(instance, -1) >= client.keptSince) {
            throw new AssertionError(node.id + " no longer lists " + client.name() + ", which " + client.where()
                    + "; it has seen epoch " + node.seenEpochs.get(instance) + " of " + client.epoch);
        }
    }

    private void checkComplete(Node node) {
        for (Client client : clients) {
            boolean old = group.now() - client.registeredAt > 12 * SECOND;
            if (client.isAlive && client.isRegistered && old && !node.registry.lists(client.service, client.key)) {
                Node at = client.node;
                if (at != null && group.viewOf(node.station).contains(at.id) && at.station.isRunning()) {
                    throw new AssertionError(
                            node.id + " went into service without " + client.name() + ", which " + client.where());
                }
            }
        }
    }

    private void checkAtRest() {
        Set<NodeId> all = nodes.stream().map(node -> node.id).collect(Collectors.toCollection(TreeSet::new));
        Map<String, String> expected = new TreeMap<>();
        for (Client client : clients) {
            if (client.isAlive) {
                if (!client.isRegistered) {
                    throw new AssertionError(client.name() + " is not registered at rest: " + client.where());
                }
                expected.put(client.name(), String.valueOf(client.epoch));
            }
        }
        for (Node node : nodes) {
            if (!Set.copyOf(group.viewOf(node.station)).equals(all) || node.state != NodeState.READY) {
                throw new AssertionError(
                        node.id + " is not ready at rest: " + node.state + ", view " + group.viewOf(node.station));
            }
            for (PeerCopy copy : node.replication.copies().values()) {
                Node owner = nodeOf(copy.owner());
                if (owner == null) {
                    throw new AssertionError(node.id + " still keeps a copy of " + copy.owner() + " at rest");
                }
                if (!copy.summary().equals(owner.replication.summary())) {
                    throw new AssertionError("The copy of " + owner.id + " at " + node.id + " differs at rest: "
                            + copy.summary() + ", owner " + owner.replication.summary());
                }
            }
            Map<String, String> found = new TreeMap<>();
            node.registry
                    .list()
                    .forEach((key, instance) ->
                            found.put(name(key), instance.metadata().getOrDefault(EPOCH, "none")));
            clients.stream()
                    .filter(client -> client.mayBeOlder && found.containsKey(client.name()))
                    .forEach(client -> found.put(client.name(), String.valueOf(client.epoch)));
            if (!found.equals(expected)) {
                throw new AssertionError(node.id + " lists at rest " + found + ", expected " + expected);
            }
            if (node.replication.diverged() > 0) {
                // A lost message leaves a gap, which is found as such. The digests are there for defects.
                throw new AssertionError(node.id + " had a copy with another digest than its owner");
            }
            if (node.registry.holdsAnything()) {
                throw new AssertionError(node.id + " holds something at rest");
            }
        }
    }

    private static String name(InstanceKey key) {
        return key.ip() + ':' + key.port();
    }

    private final class Node implements LocalGroup.Member, LaneDriver, LocalNode, NodeRegistry.Surroundings {

        private final NodeId id;
        private final ClusterClock clock;
        private final NodeRegistry registry;
        private final RegistryReplication replication;
        private final ClientOwnership ownership;
        private final Map<InstanceKey, Integer> seenEpochs = new HashMap<>();
        private LocalGroup.Station station;
        private long troubleUntil;
        private boolean ready;
        private NodeState state = NodeState.JOINING;
        private boolean joinsAgain;
        private int secondsAlone;
        /** When the node last met the others again, after a split or after a pause of its own. */
        private long wasAwayUntil;

        private Set<String> readyNodes = Set.of();
        /** The others that were in service when this node last saw them. */
        private Set<String> lastSeen = Set.of();

        private final Set<CopyMemory.Key> changedCopies = new HashSet<>();
        private Map<NodeId, List<RegistryEntry>> knownFromBefore = Map.of();

        Node(NodeId id) {
            this.id = id;
            this.clock = new ClusterClock(group.clock(group.between(-2_000, 2_000) / LocalGroup.MILLI));
            this.registry = registries.apply(this);
            this.ownership = new ClientOwnership(id.address());
            this.replication = new RegistryReplication(
                    id,
                    this,
                    registry.mirrored(),
                    registry.publications(),
                    clock,
                    this,
                    this::beating,
                    sdk -> WINDOW,
                    this::other,
                    group::now);
            registry.recordIn(replication.changes());
            replication.followCopies(changedCopies::add);
            this.station = group.join(id, this);
        }

        void begin() {
            everySecond();
        }

        /** The copies of other nodes in the file of this node. */
        Map<NodeId, List<RegistryEntry>> knownCopies() {
            Map<NodeId, List<RegistryEntry>> known = new TreeMap<>();
            replication.forEachKnown(changedCopies, (key, publication) -> {
                if (publication != null) {
                    known.computeIfAbsent(key.owner(), absent -> new ArrayList<>())
                            .add(publication);
                }
            });
            return known;
        }

        // For the registry.

        @Override
        public NodeId id() {
            return id;
        }

        @Override
        public ClusterClock clock() {
            return clock;
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public boolean isOwn(String clientId) {
            return ownership.isOwn(clientId);
        }

        @Override
        public long nanoTime() {
            return group.now();
        }

        @Override
        public void after(long nanos, Runnable action) {
            group.after(station, nanos, action);
        }

        @Override
        public void unlisted(InstanceKey instance) {
            ReplicationModel.this.unlisted(this, instance);
        }

        @Override
        public void seen(Instance instance) {
            seenEpochs.merge(
                    instance.key(), Integer.parseInt(instance.metadata().get(EPOCH)), Math::max);
        }

        boolean isInTrouble() {
            return group.now() < troubleUntil;
        }

        // The group.

        @Override
        public void view(List<NodeId> members, boolean merged) {
            tell(id + " has the view " + members);
            wasAwayUntil = merged ? Math.max(wasAwayUntil, group.now()) : wasAwayUntil;
            replication.view(members, merged);
        }

        @Override
        public void message(NodeId from, byte[] bytes) {
            replication.message(from, bytes);
        }

        @Override
        public Driven drive(NodeId peer, PeerLane lane) {
            return new Driven() {
                private boolean stopped;
                private boolean due;

                @Override
                public void wake() {
                    if (!due && !stopped) {
                        due = true;
                        group.after(station, group.between(0, 1), this::pump);
                    }
                }

                private void pump() {
                    due = false;
                    while (!stopped) {
                        byte[] message = lane.next();
                        if (message != null) {
                            group.send(station, peer, message);
                        } else {
                            long wait = lane.nanosUntilDue();
                            if (wait < Long.MAX_VALUE) {
                                due = true;
                                group.after(station, wait, this::pump);
                            }
                            return;
                        }
                    }
                }

                @Override
                public void stop() {
                    stopped = true;
                }
            };
        }

        @Override
        public Description description() {
            return new Description(9848, 9849, "test", state, 0, "");
        }

        @Override
        public Load load() {
            return new Load(0, 0, 0);
        }

        // Every second.

        private void everySecond() {
            registry.runs();
            replication.everySecond();
            boolean whole = replication.isComplete() && group.viewOf(station).contains(id);
            if (whole
                    && !ready
                    && group.viewOf(station).size()
                            >= Math.min(2, group.running().size())) {
                knownFromBefore.forEach(replication::holdKnown);
                knownFromBefore = Map.of();
                checkComplete(this);
                ready = true;
            }
            decide(whole && replication.isInStep());
            Set<String> now = new TreeSet<>();
            for (PeerStatus peer : replication.peers()) {
                ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
                if (heartbeat != null && heartbeat.state() == NodeState.READY) {
                    now.add(peer.id().address());
                }
            }
            if (!now.isEmpty()) {
                lastSeen = Set.copyOf(now);
            }
            if (now.isEmpty() || state != NodeState.JOINING) {
                now.add(id.address());
            }
            if (!now.equals(readyNodes)) {
                readyNodes = now;
                ownership.ownersAre(now);
            }
            registry.everySecond(whole && replication.isInStep(), isCutOff());
            group.after(station, SECOND, this::everySecond);
        }

        /** As {@code NodeStates}: isolated after 5 s without the others and the database, then in step before it is in service. */
        private void decide(boolean isInStep) {
            boolean isAlone =
                    group.isDatabaseAway(station) && group.viewOf(station).size() * 2 < addresses.length;
            secondsAlone = isAlone ? secondsAlone + 1 : 0;
            boolean isIsolated = secondsAlone > 5;
            joinsAgain = isIsolated || joinsAgain && !isInStep;
            state = isIsolated ? NodeState.ISOLATED : ready && !joinsAgain ? NodeState.READY : NodeState.JOINING;
            if (isIsolated && secondsAlone % 5 == 1) {
                evacuate();
            }
        }

        private void evacuate() {
            for (Client client : clients) {
                group.after(station, group.between(0, 300), () -> client.askedToMove(this, lastSeen));
            }
        }

        private List<NodeId> beating() {
            return group.beating(station);
        }

        /** Whether a node that is alive may not be in this node's view. */
        private boolean isCutOff() {
            return state == NodeState.ISOLATED
                    || beating().stream()
                            .anyMatch(other -> !group.viewOf(station).contains(other));
        }

        // Clients.

        void connected(ConnectedClient client) {
            registry.connected(
                    client.connection,
                    new Publisher.Client(client.key.ip(), 50_000, "shop", "Nacos-Java-Client:v3.0.3"),
                    client.service,
                    client.instance());
        }

        private void other(NodeId from, ClusterMessage message) {
            if (message instanceof ClusterMessage.Beats beats) {
                for (ClusterMessage.InstanceOfService each : beats.instances()) {
                    registry.beat(each.service(), each.instance());
                }
            } else if (message instanceof ClusterMessage.Forward forward) {
                for (ClusterMessage.Forward.Write each : forward.writes()) {
                    registry.deregisterHttp(each.service(), each.instance().key());
                }
            }
        }

        // Faults.

        void lost() {
            for (Client client : clients) {
                client.mayBeOlder |= client.node == this && group.now() - client.registeredAt < 4 * SECOND;
                client.nodeLost(this, 200, 4_000);
            }
        }

        void paused(long length) {
            if (length > NOTICED_PAUSE) {
                wasAwayUntil = Math.max(wasAwayUntil, group.now() + length);
            }
            for (Client client : clients) {
                group.after(group.between(4_500, 8_000), () -> {
                    if (!station.isRunning()) {
                        client.nodeLost(this, 0, 500);
                    }
                });
            }
        }

        void split() {
            for (Client client : clients) {
                if (group.random.nextBoolean()) {
                    group.after(station, group.between(9_500, 14_000), () -> {
                        if (isCutOff()) {
                            client.askedToMove(this, Set.of());
                        }
                    });
                }
            }
        }
    }

    private static String httpId(InstanceKey key) {
        return key.ip() + ':' + key.port() + "#true";
    }

    private abstract static class Client {

        final InstanceKey key;
        final ServiceKey service;

        @Nullable
        Node node;

        boolean isAlive = true;
        boolean isRegistered;
        long registeredAt;
        int epoch;
        /**
         * Whether the node died right after it had answered the last registration. Its message may have been lost with it, and a client
         * that only beats does not register again as long as lists have its instance.
         */
        boolean mayBeOlder;

        boolean hasDeregistered;
        /** The first registration since which lists must have the instance. */
        int keptSince;

        Client(int number) {
            this.key = new InstanceKey("10.1.0." + number, 8080, InstanceKey.DEFAULT_CLUSTER);
            this.service = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "service-" + number % 2);
        }

        String name() {
            return ReplicationModel.name(key);
        }

        Instance instance() {
            return Instance.of(key.ip(), key.port()).withMetadata(Map.of(EPOCH, String.valueOf(epoch)));
        }

        String where() {
            return (isRegistered ? "is registered at " : "was registered at ") + (node == null ? "none" : node.id);
        }

        abstract void begin();

        abstract void act(int what);

        void nodeLost(Node gone, long fromMillis, long toMillis) {}

        /** @param to addresses of which one is named to the client; empty when none is */
        void askedToMove(Node by, Set<String> to) {}
    }

    private final class ConnectedClient extends Client {

        private String connection = "";
        private int connections;

        ConnectedClient(int number) {
            super(number);
        }

        @Override
        void begin() {
            keptSince = epoch + 1;
            connect();
        }

        private void connect() {
            connect(anyInService());
        }

        private void connect(@Nullable Node to) {
            if (!isAlive || isRegistered) {
                return;
            }
            if (to == null || !to.station.isRunning() || !to.ready) {
                group.after(group.between(300, 600), this::connect);
                return;
            }
            epoch++;
            mayBeOlder = false;
            connection = name() + "_" + ++connections;
            node = to;
            isRegistered = true;
            registeredAt = group.now();
            tell(name() + " registers epoch " + epoch + " at " + to.id);
            to.connected(this);
        }

        /** Leaves the node, which finds out when it runs. */
        private void disconnect(boolean moves) {
            Node from = node;
            String old = connection;
            isRegistered = false;
            if (from != null) {
                group.after(from.station, 0, () -> from.registry.disconnected(old, moves));
            }
        }

        @Override
        void nodeLost(Node gone, long fromMillis, long toMillis) {
            if (isRegistered && node == gone) {
                tell(name() + " has lost " + gone.id);
                disconnect(false);
                group.after(group.between(fromMillis, toMillis), this::connect);
            }
        }

        @Override
        void askedToMove(Node by, Set<String> to) {
            if (isRegistered && node == by) {
                tell(name() + " is asked to move by " + by.id + " to " + to);
                disconnect(true);
                List<Node> named = nodes.stream()
                        .filter(each -> to.contains(each.id.address()))
                        .toList();
                group.after(
                        group.between(0, 300),
                        named.isEmpty() ? this::connect : () -> connect(named.get(group.random.nextInt(named.size()))));
            }
        }

        @Override
        void act(int what) {
            Node at = node;
            if (!isRegistered || at == null || !at.station.isRunning()) {
                return;
            }
            switch (what) {
                case 0 -> {
                    tell(name() + " breaks its connection");
                    keptSince = epoch + 1;
                    disconnect(false);
                    group.after(group.between(100, 3_000), this::connect);
                }
                case 1 -> {
                    tell(name() + " deregisters at " + at.id);
                    hasDeregistered = true;
                    keptSince = epoch + 1;
                    isRegistered = false;
                    at.registry.deregister(connection, service, key);
                    group.after(group.between(2_000, 6_000), this::connect);
                }
                case 2 -> {
                    tell(name() + " ends");
                    isAlive = false;
                    disconnect(false);
                }
                default -> {
                    epoch++;
                    registeredAt = group.now();
                    tell(name() + " registers epoch " + epoch + " again at " + at.id);
                    at.connected(this);
                }
            }
        }
    }

    private final class HttpClient extends Client {

        HttpClient(int number) {
            super(number);
        }

        @Override
        void begin() {
            keptSince = epoch + 1;
            beat();
        }

        private void beat() {
            if (!isAlive) {
                return;
            }
            Node to = anyInService();
            if (to != null) {
                if (!isRegistered || !to.registry.beat(service, key)) {
                    register(to);
                } else if (!to.registry.publishesHttp(service, key)) {
                    NodeId owner = group.viewOf(to.station).stream()
                            .filter(id -> id.address().equals(to.ownership.ownerOf(httpId(key))))
                            .findFirst()
                            .orElse(to.id);
                    to.replication.send(
                            owner,
                            new ClusterMessage.Beats(List.of(new ClusterMessage.InstanceOfService(service, key))));
                }
            }
            group.after(group.between(4_500, 5_500), this::beat);
        }

        private void register(Node to) {
            epoch++;
            mayBeOlder = false;
            node = to;
            isRegistered = true;
            registeredAt = group.now();
            tell(name() + " registers epoch " + epoch + " over HTTP at " + to.id);
            to.registry.registerHttp(service, instance());
        }

        @Override
        void act(int what) {
            Node to = anyInService();
            if (to == null || !isRegistered) {
                return;
            }
            if (what < 2) {
                tell(name() + " ends");
                isAlive = false;
                isRegistered = false;
                Instance gone = instance();
                to.registry.deregisterHttp(service, key);
                for (NodeId other : group.viewOf(to.station)) {
                    to.replication.send(
                            other,
                            new ClusterMessage.Forward(
                                    1,
                                    List.of(new ClusterMessage.Forward.Write(
                                            ClusterMessage.Forward.Kind.DEREGISTER, service, gone))));
                }
            } else if (what == 6) {
                register(to);
            }
        }
    }
}

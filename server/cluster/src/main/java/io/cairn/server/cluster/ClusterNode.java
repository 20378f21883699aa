package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.server.cluster.replication.ClusterClock;
import io.cairn.server.cluster.replication.LocalNode;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.replication.RegistryReplication;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.OwnPublications;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.CopyStatus;
import io.cairn.server.node.NodeFinding;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeTable;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This server as a node of the cluster. Owns the group channel, the watch of the members, the replication of the registry and the
 * row in the database. The order of calls: {@link #join}, {@link #awaitCopies}, {@link #open} after the ports, {@link #drain}
 * before a stop, {@link #close}.
 *
 * <p>Has two threads, beside the threads of channel and lanes: {@code cairn-cluster} decides and sends heartbeats every second and
 * never blocks; {@code cairn-node-row} writes and reads the rows in the database.
 */
public final class ClusterNode implements ClusterMembers, AutoCloseable {

    private static final Duration TICK = Duration.ofSeconds(1);

    private static final Duration COPY_LOOK = Duration.ofMillis(10);

    /** Parts of a group that reach each other merge within this time. */
    private static final Duration MERGE = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(ClusterNode.class);

    private final NodeSettings settings;
    private final NodeId self;
    private final GroupChannel channel;
    private final LocalServer server;
    private final LongSupplier nanoTime;
    private final Clock clock;
    private final RowWitness witness;
    private final NodeStates states;
    private final RegistryReplication replication;
    private final NamedMembers named;
    private final MemberStates members;
    private final LostMembers lost;
    private final ClientTargets targets;
    private final FollowingCheck following;
    private final NodeObserver observer;
    private final NodeStatuses statuses;
    private final ClusterFindings findings;
    private final NodeRowBeat beats;
    private final CpuShare cpu = new CpuShare();
    private final HungNodes hung = new HungNodes();
    private final MessageDispatch messages = new MessageDispatch();
    private final List<MembersListener> membersListeners = new CopyOnWriteArrayList<>();
    private final List<SecondListener> secondListeners = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread created = new Thread(task, "cairn-cluster");
        created.setDaemon(true);
        return created;
    });
    private volatile GroupView view;

    @GuardedBy("this")
    private boolean closed;

    /** Receives the members. Called by the thread {@code cairn-cluster}; returns at once. */
    public interface MembersListener {

        /**
         * Called after each view, after each change of a state, and every second.
         *
         * @param states by members of the view, with this node, in the order of the view
         */
        void members(Map<NodeId, NodeState> states, Collection<PeerStatus> peers);
    }

    /** Called every second by the thread {@code cairn-cluster}; returns at once. */
    public interface SecondListener {

        /**
         * @param isInStep whether the copies of all members are up to date
         * @param missesClients whether clients may use a node that this one does not receive: it is alive outside the view, or
         *     hangs
         */
        void second(boolean isInStep, boolean missesClients);
    }

    /** @param window how long instances of a departed node are kept, by the SDK of their client */
    public ClusterNode(
            NodeSettings settings,
            MemberLookup lookup,
            HostResolver resolver,
            GroupChannel channel,
            NodeTable rows,
            MirroredRegistry registry,
            OwnPublications publications,
            Function<String, Duration> window,
            LocalServer server,
            ClusterClock groupClock,
            Clock clock) {
        this.settings = settings;
        this.self = settings.self();
        this.channel = channel;
        this.server = server;
        this.nanoTime = System::nanoTime;
        this.clock = clock;
        this.witness = new RowWitness(nanoTime);
        this.states = new NodeStates(settings.joinTimeout(), nanoTime, clock);
        this.view = new GroupView(0, List.of(self), false);
        this.named = new NamedMembers(lookup, resolver, witness, channel, clock);
        this.members = new MemberStates(self, nanoTime, clock);
        this.lost = new LostMembers(self, members, nanoTime);
        this.targets = new ClientTargets(self, members, witness);
        this.replication = RegistryReplication.withThreads(
                self,
                new Described(),
                registry,
                publications,
                groupClock,
                channel::send,
                witness,
                window,
                messages::dispatch);
        this.following = new FollowingCheck(server.following(), members, nanoTime);
        this.observer = new NodeObserver(server, replication, witness, named, following);
        this.statuses = new NodeStatuses(
                settings, server, states, members, replication, witness, named, () -> view, nanoTime, clock);
        this.findings = new ClusterFindings(settings, server, states, members, named);
        this.beats = new NodeRowBeat(self, rows, witness, () -> view, this::row, this::rowsRead);
        states.follow(state -> soon(this::refresh));
        // At once, so that publishes wait for a node as soon as it is in service.
        replication.followStates(() -> soon(this::refresh));
        receive(ClusterMessage.Leaving.class, (from, message) -> {
            members.leaves(from);
            soon(this::refresh);
        });
    }

    public OwnChanges changes() {
        return replication.changes();
    }

    public RegistryReplication replication() {
        return replication;
    }

    public NodeId id() {
        return self;
    }

    /**
     * Registers the consumer of a kind. It runs on the receiving thread and must return at once. Kinds about the registry are not
     * dispatched.
     */
    public <M extends ClusterMessage> void receive(Class<M> kind, BiConsumer<NodeId, M> consumer) {
        messages.receive(kind, consumer);
    }

    /** Queues a message; false when the node is no member, or its queue is full. */
    public boolean send(NodeId to, ClusterMessage message) {
        return replication.send(to, message);
    }

    public void sendToAll(ClusterMessage message) {
        for (NodeId member : view.members()) {
            if (!member.equals(self)) {
                send(member, message);
            }
        }
    }

    /**
     * Nodes for the gRPC clients of this node, with the number of their clients: members in service, and nodes outside the view
     * that are in service by their heartbeats in the database. An isolated node that does not reach the database adds those in
     * service when it last saw them.
     */
    public Map<NodeId, Long> othersForClients() {
        return targets.all(view.members(), states.state());
    }

    /**
     * Whether this node is isolated and the database away. Then no other node can know that it is alive, and they keep the
     * instances of its clients as if it were dead.
     */
    public boolean isTakenForDead() {
        return states.state() == NodeState.ISOLATED && !witness.isDatabaseThere();
    }

    /** The other members in service, in the order of the view, with the number of their gRPC clients. */
    @Override
    public Map<NodeId, Long> clientsOfOthers() {
        return targets.inView();
    }

    /** The member with this address; of two runs of one node the later. */
    public Optional<NodeId> member(String address) {
        return view.members().stream()
                .filter(member -> member.address().equals(address))
                .max(Comparator.naturalOrder());
    }

    public List<String> addresses() {
        return addresses(view.members());
    }

    /** Nodes that serve clients outside the view, by their heartbeats in the database. */
    public List<NodeId> cutOffNodes() {
        return witness.unseen(view.members()).stream()
                .filter(row -> RowWitness.state(row) != NodeState.JOINING)
                .map(NodeTable.Row::node)
                .toList();
    }

    public void followMembers(MembersListener listener) {
        membersListeners.add(listener);
    }

    public void everySecond(SecondListener listener) {
        secondListeners.add(listener);
    }

    /** Whether this node does the work for which one node suffices: the first in service of the view. */
    public boolean isFirstInService() {
        List<NodeId> now = members.inService();
        return !now.isEmpty() && now.get(0).equals(self);
    }

    public void followRejoin(Runnable listener) {
        states.followRejoin(listener);
    }

    /** Whether others may have gone on without this node. */
    public boolean mayLackChanges() {
        return states.mayLackChanges();
    }

    /** Why this node is not in service, in words; null when it is. */
    public @Nullable String notReadyBecause() {
        return states.notReadyBecause();
    }

    /**
     * Joins the group; blocks for about a second.
     *
     * @throws CairnException {@code INVALID_PARAMETER} or {@code UNAVAILABLE}, in one line
     */
    public void join() {
        states.begin();
        replication.holdAll(true);
        beats.first();
        named.start();
        channel.join(new Listener());
        // Not at a fixed rate, which would run the missed decisions after a pause.
        ticks.scheduleWithFixedDelay(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
        beats.start();
        log.info("Node {} is in a group of {}; group port {}", self, addresses(view.members()), settings.groupPort());
    }

    /**
     * Blocks until this node has met the nodes with fresh heartbeats in the database and has their entries; at most for the join
     * timeout, or for {@link #MERGE} while it is isolated: then the ports open, and readiness has the reason.
     */
    public void awaitCopies() {
        long deadline = nanoTime.getAsLong() + settings.joinTimeout().toNanos();
        try {
            long connectedNanos = nanoTime.getAsLong();
            while (!hasCopies() && nanoTime.getAsLong() - deadline < 0) {
                if (states.state() != NodeState.ISOLATED) {
                    connectedNanos = nanoTime.getAsLong();
                } else if (nanoTime.getAsLong() - connectedNanos >= MERGE.toNanos()) {
                    return;
                }
                // No event announces complete copies.
                Thread.sleep(COPY_LOOK.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean hasCopies() {
        return witness.unmet(view.members()).isEmpty() && replication.isComplete();
    }

    /** Whether another node was in service for this time, and knows the earlier registrations of this node's clients. */
    public boolean isKnownToOthers(Duration inServiceFor) {
        long before = clock.millis() - inServiceFor.toMillis();
        return replication.peers().stream()
                .anyMatch(peer ->
                        members.state(peer) == NodeState.READY && peer.id().incarnation() <= before);
    }

    /** Reports open client ports: the node is in service unless another cause prevents it. */
    public void open() {
        replication.holdAll(false);
        states.open();
        soon(this::tick);
    }

    /** Announces the stop to the other nodes. From now on nothing held ends, and the state stays. */
    public void drain() {
        replication.holdAll(true);
        states.drain();
        announceLeaving();
    }

    /** Takes this node out of service until {@link #undrain}, and moves its clients. */
    public void drainForOperator() {
        states.drainForOperator();
        announceLeaving();
    }

    private void announceLeaving() {
        sendToAll(new ClusterMessage.Leaving());
        beats.soon();
    }

    /** Ends {@link #drainForOperator}; false when it did not begin, or the server stops. */
    public boolean undrain() {
        boolean ends = states.undrain();
        soon(this::tick);
        beats.soon();
        return ends;
    }

    /** The number of publications and checks of this node. A draining node transfers them. */
    public long owned() {
        return replication.summary().count();
    }

    /** Leaves the group. Takes some seconds at most. Does nothing the second time. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        named.close();
        ticks.shutdownNow();
        channel.close();
        replication.close();
        beats.close();
    }

    private void soon(Runnable task) {
        try {
            ticks.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("{} comes after the close of this node", task);
        }
    }

    private final class Listener implements GroupChannel.Listener {

        @Override
        public void view(GroupView next) {
            targets.view(next);
            lost.view(next);
            view = next;
            states.view(next);
            replication.view(next.members(), next.merged());
            members.view(next);
            log.info("Members of the group: {}{}", addresses(next.members()), next.merged() ? " (after a merge)" : "");
            soon(ClusterNode.this::refresh);
        }

        @Override
        public void message(NodeId from, byte[] message) {
            replication.message(from, message);
        }
    }

    private final class Described implements LocalNode {

        @Override
        public Description description() {
            return new Description(
                    settings.grpcPort(),
                    settings.groupPort(),
                    settings.version(),
                    states.state(),
                    server.settingsDigest(),
                    server.keysFingerprint());
        }

        @Override
        public Load load() {
            return new Load(server.revision(), server.connections(), cpu.permille());
        }

        @Override
        public ClusterMessage.Heartbeat.Followed followed() {
            return ClusterMessage.Heartbeat.Followed.of(server.following().state(), server.lastCommit());
        }
    }

    private void tick() {
        try {
            // First, so that no heartbeat after a pause has the state "in service".
            states.decide(observer.now(view));
            replication.everySecond();
            following.compareIfAnotherFails(replication.peers());
            refresh();
            boolean isInStep = replication.isInStep();
            boolean isCutOff =
                    states.state() == NodeState.ISOLATED || !view.members().containsAll(witness.now());
            boolean missesClients = hung.check(members.heard(), nanoTime.getAsLong()) || isCutOff;
            secondListeners.forEach(listener -> listener.second(isInStep, missesClients));
        } catch (RuntimeException e) {
            log.error("A heartbeat of the cluster was left out on a defect of the server", e);
        }
    }

    /** Updates the states of the members, and notifies listeners. */
    private void refresh() {
        Collection<PeerStatus> peers = replication.peers();
        Map<NodeId, NodeState> shown = members.refresh(view.members(), states.state(), server.revision(), peers);
        membersListeners.forEach(listener -> listener.members(shown, peers));
    }

    private void rowsRead() {
        named.offerHosts();
        targets.rowsRead();
    }

    private NodeTable.Row row(GroupView now) {
        return new NodeTable.Row(
                self,
                settings.groupPort(),
                settings.grpcPort(),
                settings.version(),
                ClusterMessage.NEWEST_PROTOCOL,
                states.state().name(),
                addresses(now.members()),
                server.revision(),
                (int) Math.min(Integer.MAX_VALUE, server.connections()),
                self.incarnation());
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public NodeStatus self() {
        return statuses.self();
    }

    @Override
    public List<CopyStatus> copies() {
        return statuses.copies();
    }

    @Override
    public List<NodeStatus> all() {
        return statuses.all();
    }

    @Override
    public List<NodeFinding> findings() {
        return findings.find(all(), witness.unseen(view.members()), named.otherKeys(), replication.peers());
    }

    private static List<String> addresses(Collection<NodeId> nodes) {
        return nodes.stream().map(NodeId::address).toList();
    }
}

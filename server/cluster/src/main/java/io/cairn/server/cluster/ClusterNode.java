package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.server.cluster.replication.ClusterClock;
import io.cairn.server.cluster.replication.LocalNode;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.replication.RegistryReplication;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.MirroredRegistry;
import io.cairn.server.naming.OwnChanges;
import io.cairn.server.naming.OwnPublications;
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
 * This server as a node of the cluster: owns the life of the group channel, the watch of the members, the replication of the registry
 * and the row in the database. Thread-safe. Its life: {@link #join}, {@link #awaitCopies}, {@link #open} when the ports are open,
 * {@link #drain} when the server is about to stop, {@link #close}.
 *
 * <p>Two threads beside those of the channel and the lanes: {@code cairn-cluster} decides and sends heartbeats every second and never
 * blocks; {@code cairn-node-row} writes and reads the rows in the database.
 */
public final class ClusterNode implements ClusterMembers, AutoCloseable {

    private static final Duration TICK = Duration.ofSeconds(1);

    private static final Duration COPY_LOOK = Duration.ofMillis(10);

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
    private final ClientTargets targets;
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
         * @param states of the members of the view, this node among them, in the order of the view
         * @param peers the other members
         */
        void members(Map<NodeId, NodeState> states, Collection<PeerStatus> peers);
    }

    /** Called every second by the thread {@code cairn-cluster}; returns at once. */
    public interface SecondListener {

        /**
         * @param isInStep whether the copies of all members are up to date
         * @param missesClients whether clients may send to a node of which this one hears nothing: it is alive and not in the view, or
         *     it hangs
         */
        void second(boolean isInStep, boolean missesClients);
    }

    /**
     * @param lookup names the other nodes
     * @param window for how long instances are kept whose node has departed, by the SDK of their client
     */
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
        this.observer = new NodeObserver(server, replication, witness, named);
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

    /** Where the registry records what it changes. */
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
     * Delivers the messages of a kind to a consumer, on the thread that has received them. The consumer returns at once. Kinds about
     * the registry are not delivered.
     */
    public <M extends ClusterMessage> void receive(Class<M> kind, BiConsumer<NodeId, M> consumer) {
        messages.receive(kind, consumer);
    }

    /** Queues a message to a member; false when the node is no member, or too many messages wait for it. */
    public boolean send(NodeId to, ClusterMessage message) {
        return replication.send(to, message);
    }

    /** As {@link #send}, to each other member. */
    public void sendToAll(ClusterMessage message) {
        for (NodeId member : view.members()) {
            if (!member.equals(self)) {
                send(member, message);
            }
        }
    }

    /** The nodes in service, in the order of the view; this node among them when it is. */
    public List<NodeId> nodesInService() {
        return members.inService();
    }

    /**
     * The other nodes that this node can send its gRPC clients to, with the number of theirs: those of the view that are in service, and
     * those outside it whose heartbeat in the database goes on and says so. An isolated node that does not reach the database names those
     * that were in service when it last saw them.
     */
    public Map<NodeId, Long> othersForClients() {
        return targets.all(view.members(), states.state());
    }

    /**
     * Whether no other node can know that this one is alive: it is isolated, and the database is away. The others keep the instances of
     * its clients as long as those of a node that has died.
     */
    public boolean isTakenForDead() {
        return states.state() == NodeState.ISOLATED && !witness.isDatabaseThere();
    }

    /** The other members in service, in the order of the view, with the number of their gRPC clients. */
    @Override
    public Map<NodeId, Long> clientsOfOthers() {
        return targets.inView();
    }

    /** The member of the group with this address; of two runs of one node the later one. Empty when there is none. */
    public Optional<NodeId> member(String address) {
        return view.members().stream()
                .filter(member -> member.address().equals(address))
                .max(Comparator.naturalOrder());
    }

    /** The addresses of all members of the group. */
    public List<String> addresses() {
        return addresses(view.members());
    }

    /** The nodes that serve clients and are no members of the view, by their heartbeats in the database. */
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

    /** Whether this node does the work for which one node suffices: it is the first one of the view that is in service. */
    public boolean isFirstInService() {
        List<NodeId> now = members.inService();
        return !now.isEmpty() && now.get(0).equals(self);
    }

    /** @param listener called when this node was paused or cut off, and joins again; returns at once */
    public void followRejoin(Runnable listener) {
        states.followRejoin(listener);
    }

    /** Why this node is not in service, in words; null when it is. */
    public @Nullable String notReadyBecause() {
        return states.notReadyBecause();
    }

    /**
     * Joins the group, which takes about a second.
     *
     * @throws CairnException {@code INVALID_PARAMETER} or {@code UNAVAILABLE} in one line when it cannot
     */
    public void join() {
        beats.first();
        named.start();
        channel.join(new Listener());
        // Not at a fixed rate: after a pause that makes up for each second that was missed, and decides many times at
        // once.
        ticks.scheduleWithFixedDelay(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
        beats.start();
        log.info("Node {} is in a group of {}; group port {}", self, addresses(view.members()), settings.groupPort());
    }

    /** Blocks until all that the other members own is here, at most for the join timeout. */
    public void awaitCopies() {
        long deadline = nanoTime.getAsLong() + settings.joinTimeout().toNanos();
        try {
            while (!replication.isComplete() && nanoTime.getAsLong() - deadline < 0) {
                // The lanes have no event for it, and the start waits at most for the join timeout.
                Thread.sleep(COPY_LOOK.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether another node was in service for at least this time: it knows what the clients of this node registered before a restart.
     */
    public boolean isKnownToOthers(Duration inServiceFor) {
        long before = clock.millis() - inServiceFor.toMillis();
        return replication.peers().stream()
                .anyMatch(peer ->
                        members.state(peer) == NodeState.READY && peer.id().incarnation() <= before);
    }

    /** The ports for clients are open: the node is in service as soon as nothing else is in the way. */
    public void open() {
        states.open();
        soon(this::tick);
    }

    /** The server is about to stop; the other nodes are told so, and no other state follows. */
    public void drain() {
        states.drain();
        sayLeaving();
    }

    /** Takes this node out of service until {@link #undrain}: its clients are asked to move, those without a connection are handed over. */
    public void drainForOperator() {
        states.drainForOperator();
        sayLeaving();
    }

    private void sayLeaving() {
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

    /** How many publications and checks this node owns. A node that drains hands them over. */
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

    /** After the close there is nothing left to do. */
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
    }

    private void tick() {
        try {
            // First, so that after a pause no heartbeat says that this node is in service.
            states.decide(observer.now(view));
            replication.everySecond();
            refresh();
            boolean isInStep = replication.isInStep();
            boolean isCutOff =
                    states.state() == NodeState.ISOLATED || !view.members().containsAll(witness.now());
            boolean missesClients = hung.look(members.heard(), nanoTime.getAsLong()) || isCutOff;
            secondListeners.forEach(listener -> listener.second(isInStep, missesClients));
        } catch (RuntimeException e) {
            log.error("A heartbeat of the cluster was left out on a defect of the server", e);
        }
    }

    /** Brings the states of the members up to date, and notifies of them. */
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
        return findings.find(all(), witness.unseen(view.members()), replication.peers());
    }

    private static List<String> addresses(Collection<NodeId> nodes) {
        return nodes.stream().map(NodeId::address).toList();
    }
}

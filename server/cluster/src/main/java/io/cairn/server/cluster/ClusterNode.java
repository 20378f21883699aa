package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.cluster.replication.ClusterClock;
import io.cairn.server.cluster.replication.LocalNode;
import io.cairn.server.cluster.replication.RegistryReplication;
import io.cairn.server.cluster.replication.RegistryReplication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.MirroredRegistry;
import io.cairn.server.naming.OwnChanges;
import io.cairn.server.naming.OwnPublications;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.NodeFinding;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeStatus.Presence;
import io.cairn.server.node.NodeTable;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    /** A member that has sent no heartbeat for this time is suspected. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private static final Duration COPY_LOOK = Duration.ofMillis(10);
    private static final Duration ROW_REMOVAL = Duration.ofSeconds(3);

    private static final Logger log = LoggerFactory.getLogger(ClusterNode.class);

    private final NodeSettings settings;
    private final NodeId self;
    private final GroupChannel channel;
    private final NodeTable rows;
    private final LocalServer server;
    private final HostResolver resolver;
    private final LongSupplier nanoTime;
    private final Clock clock;
    private final RowWitness witness;
    private final NodeStates states;
    private final RegistryReplication replication;
    private final MemberWatch watch;
    private final MemberLookup lookup;
    private final CpuShare cpu = new CpuShare();
    private final HungNodes hung = new HungNodes();
    private final Map<Class<?>, BiConsumer<NodeId, ? super ClusterMessage>> consumers = new ConcurrentHashMap<>();
    private final List<MembersListener> membersListeners = new CopyOnWriteArrayList<>();
    private final List<SecondListener> secondListeners = new CopyOnWriteArrayList<>();
    private final Set<NodeId> leaving = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService ticks = thread("cairn-cluster");
    private final ScheduledExecutorService beats = thread("cairn-node-row");
    private volatile GroupView view;
    private volatile List<NodeId> inService = List.of();
    private volatile Map<NodeId, Followed> followed = Map.of();
    private volatile Map<MemberAddress, List<InetSocketAddress>> named = Map.of();

    /** Used by the thread {@code cairn-node-row}, and by the one that starts before it. */
    private boolean beatFails;

    /** As {@link #beatFails}: another run with this address writes its heartbeat. */
    private boolean isReplaced;

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
     * A member as this node has followed it.
     *
     * @param since epoch milliseconds from which it is in this state
     * @param heartbeat the last one; null until one has come
     * @param heardNanos the time at which the last heartbeat was seen here. Its own time may be that of a clock that is set wrong
     */
    private record Followed(
            NodeState state,
            long since,
            RevisionLag lag,
            boolean isBehind,
            ClusterMessage.@Nullable Heartbeat heartbeat,
            long heardNanos) {

        @SuppressWarnings("ReferenceEquality") // this heartbeat, not one like it
        boolean isLast(ClusterMessage.@Nullable Heartbeat present) {
            return heartbeat == present;
        }
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
        this.rows = rows;
        this.server = server;
        this.resolver = resolver;
        this.nanoTime = System::nanoTime;
        this.clock = clock;
        this.lookup = lookup;
        this.witness = new RowWitness(nanoTime);
        this.states = new NodeStates(settings.joinTimeout(), nanoTime, clock);
        this.view = new GroupView(0, List.of(self), false);
        this.replication = RegistryReplication.withThreads(
                self,
                new Described(),
                registry,
                publications,
                groupClock,
                channel::send,
                witness,
                window,
                this::dispatch);
        this.watch = new MemberWatch(lookup, resolver, this::membersNamed, clock);
        states.follow(state -> soon(this::refresh));
        // At once, so that publishes wait for a node as soon as it is in service.
        replication.followStates(() -> soon(this::refresh));
        receive(ClusterMessage.Leaving.class, (from, message) -> {
            leaving.add(from);
            soon(this::refresh);
        });
    }

    private static ScheduledExecutorService thread(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    // --- for the parts of the server

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
        if (consumers.putIfAbsent(kind, (from, message) -> consumer.accept(from, kind.cast(message))) != null) {
            throw new IllegalStateException("Messages of the kind " + kind.getSimpleName() + " have a consumer");
        }
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
        return inService;
    }

    /**
     * The other nodes that serve clients: those of the view that are in service, and those outside it whose heartbeat in the database
     * goes on and says so.
     */
    public List<NodeId> othersForClients() {
        List<NodeId> others = new ArrayList<>(inService);
        others.remove(self);
        for (NodeTable.Row row : witness.unseen(view.members())) {
            if (state(row) == NodeState.READY) {
                others.add(row.node());
            }
        }
        return others;
    }

    public void followMembers(MembersListener listener) {
        membersListeners.add(listener);
    }

    public void everySecond(SecondListener listener) {
        secondListeners.add(listener);
    }

    /** Whether this node does the work for which one node suffices: it is the first one of the view that is in service. */
    public boolean isFirstInService() {
        List<NodeId> now = inService;
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

    // --- life

    /**
     * Joins the group, which takes about a second.
     *
     * @throws CairnException {@code INVALID_PARAMETER} or {@code UNAVAILABLE} in one line when it cannot
     */
    public void join() {
        firstBeat();
        watch.start(MemberWatch.INTERVAL);
        channel.join(new Listener());
        // Not at a fixed rate: after a pause that makes up for each second that was missed, and decides many times at
        // once.
        ticks.scheduleWithFixedDelay(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
        beats.scheduleWithFixedDelay(this::beat, 0, NodeTable.BEAT_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        beats.scheduleWithFixedDelay(this::forgetRows, 1, 60, TimeUnit.MINUTES);
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
                .anyMatch(peer -> state(peer) == NodeState.READY && peer.id().incarnation() <= before);
    }

    /** The ports for clients are open: the node is in service as soon as nothing else is in the way. */
    public void open() {
        states.open();
        soon(this::tick);
    }

    /** The server is about to stop; the other nodes are told so. */
    public void drain() {
        states.drain();
        sendToAll(new ClusterMessage.Leaving());
        run(beats, this::beat);
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
        watch.close();
        ticks.shutdownNow();
        channel.close();
        replication.close();
        removeRow();
    }

    private void removeRow() {
        try {
            beats.submit(() -> rows.remove(self)).get(ROW_REMOVAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            log.info("The row of this node stays in the database ({}); other nodes pass it over in a minute", cause(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        beats.shutdownNow();
    }

    private static String cause(Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return cause instanceof CairnException known ? known.text() : cause.toString();
    }

    private void soon(Runnable task) {
        run(ticks, task);
    }

    /** After the close there is nothing left to do. */
    private static void run(ScheduledExecutorService thread, Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("{} comes after the close of this node", task);
        }
    }

    private final class Listener implements GroupChannel.Listener {

        @Override
        public void view(GroupView next) {
            view = next;
            states.view(next);
            replication.view(next.members(), next.merged());
            leaving.retainAll(next.members());
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

    private void dispatch(NodeId from, ClusterMessage message) {
        BiConsumer<NodeId, ? super ClusterMessage> consumer = consumers.get(message.getClass());
        if (consumer == null) {
            log.debug(
                    "Dropped a {} of {}, which nothing here takes",
                    message.getClass().getSimpleName(),
                    from);
        } else {
            consumer.accept(from, message);
        }
    }

    // --- every second

    private void tick() {
        try {
            // First, so that after a pause no heartbeat says that this node is in service.
            states.decide(observation());
            replication.everySecond();
            refresh();
            boolean isInStep = replication.isInStep();
            boolean isCutOff = !view.members().containsAll(witness.now());
            boolean missesClients = hung.look(heard(), nanoTime.getAsLong()) || isCutOff;
            secondListeners.forEach(listener -> listener.second(isInStep, missesClients));
        } catch (RuntimeException e) {
            log.error("A heartbeat of the cluster was left out on a defect of the server", e);
        }
    }

    /** The time of the last heartbeat of each other member that has sent one. */
    private Map<NodeId, Long> heard() {
        Map<NodeId, Long> heard = new HashMap<>();
        followed.forEach((member, known) -> {
            if (known.heartbeat() != null) {
                heard.put(member, known.heardNanos());
            }
        });
        return heard;
    }

    private NodeStates.Observation observation() {
        long newest = Long.MIN_VALUE;
        for (PeerStatus peer : replication.peers()) {
            ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
            if (heartbeat != null && heartbeat.state() == NodeState.READY) {
                newest = Math.max(newest, heartbeat.revision());
            }
        }
        Set<String> known = new HashSet<>();
        for (MemberAddress member : watch.members().named()) {
            known.add(nameInView(member).orElse(member.toString()));
        }
        return new NodeStates.Observation(
                witness.isDatabaseThere(),
                replication.isComplete(),
                replication.isInStep(),
                known,
                witness.unseen(view.members()),
                server.isRevisionKnown(),
                server.revision(),
                newest);
    }

    /** Brings the states of the members up to date, and notifies of them. */
    private void refresh() {
        Map<NodeId, Followed> before = followed;
        Map<NodeId, Followed> next = new HashMap<>();
        Map<NodeId, NodeState> states = new HashMap<>();
        Collection<PeerStatus> peers = replication.peers();
        long now = nanoTime.getAsLong();
        long shown = server.revision();
        states.put(self, this.states.state());
        for (PeerStatus peer : peers) {
            NodeState state = state(peer);
            Followed known = before.get(peer.id());
            RevisionLag lag = known == null ? new RevisionLag() : known.lag();
            ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
            boolean isBehind = heartbeat != null && lag.isBehind(heartbeat.revision(), shown, now);
            long since = known != null && known.state() == state ? known.since() : clock.millis();
            long heardNanos = known != null && known.isLast(heartbeat) ? known.heardNanos() : now;
            next.put(peer.id(), new Followed(state, since, lag, isBehind, heartbeat, heardNanos));
            // A node that this one cannot talk to owns nothing here.
            states.put(peer.id(), peer.incompatible() ? NodeState.JOINING : state);
        }
        followed = Map.copyOf(next);
        Map<NodeId, NodeState> members = new LinkedHashMap<>();
        for (NodeId member : view.members()) {
            members.put(member, states.getOrDefault(member, NodeState.JOINING));
        }
        inService = members.keySet().stream()
                .filter(member -> members.get(member) == NodeState.READY)
                .toList();
        Map<NodeId, NodeState> shownMembers = Collections.unmodifiableMap(members);
        membersListeners.forEach(listener -> listener.members(shownMembers, peers));
    }

    private NodeState state(PeerStatus peer) {
        return leaving.contains(peer.id()) ? NodeState.DRAINING : peer.state();
    }

    // --- the database

    /** At the start, in the thread of the caller. The database may be away. */
    private void firstBeat() {
        boolean isWritten;
        try {
            isWritten = rows.beat(row(view));
        } catch (CairnException e) {
            beatFailed(e);
            return;
        }
        if (!isWritten) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "Another node with the address " + self.address()
                            + " writes its heartbeat into this database: set nacos.inetutils.ip-address or server.port, or stop"
                            + " that node");
        }
    }

    private void beat() {
        GroupView now = view;
        try {
            boolean isWritten = rows.beat(row(now));
            if (!isWritten && !isReplaced) {
                log.error(
                        "Another node with the address {} has started and writes its heartbeat into this database; stop one"
                                + " of the two",
                        self.address());
            }
            isReplaced = !isWritten;
            witness.read(rows.recentNodes(), now.members());
            offerHosts();
            if (beatFails) {
                beatFails = false;
                log.info("The heartbeat of this node is written to the database again");
            }
        } catch (CairnException e) {
            beatFailed(e);
        } catch (RuntimeException e) {
            log.error("A heartbeat in the database was left out on a defect of the server", e);
        }
    }

    private void beatFailed(CairnException cause) {
        if (!beatFails) {
            beatFails = true;
            log.warn(
                    "The heartbeat of this node cannot be written to the database, and is tried again: {}",
                    cause.text());
        }
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

    /** Rows of nodes that are gone for good would stay for ever; any node removes them. */
    private void forgetRows() {
        try {
            int forgotten = rows.forgetSilent();
            if (forgotten > 0) {
                log.info("Removed {} nodes from the database that have been silent for a day", forgotten);
            }
        } catch (CairnException e) {
            log.debug("Silent nodes are removed later: {}", e.text());
        } catch (RuntimeException e) {
            log.error("Silent nodes were not removed on a defect of the server", e);
        }
    }

    private void membersNamed(KnownMembers members) {
        Map<MemberAddress, List<InetSocketAddress>> found = new HashMap<>();
        for (MemberAddress member : members.named()) {
            found.put(member, addresses(member.host(), member.groupPort()));
        }
        named = Map.copyOf(found);
        offerHosts();
    }

    /** The group ports of the nodes that are named; a row in the database knows a port that is not the usual one. */
    private void offerHosts() {
        Set<InetSocketAddress> hosts = new LinkedHashSet<>(watch.members().groupAddresses());
        named.values().forEach(hosts::addAll);
        for (NodeTable.Heartbeat each : witness.rows()) {
            NodeTable.Row row = each.row();
            named(row.node()).ifPresent(member -> {
                if (member.groupPort() != row.groupPort()) {
                    hosts.addAll(addresses(member.host(), row.groupPort()));
                }
            });
        }
        channel.hosts(hosts);
    }

    private List<InetSocketAddress> addresses(String host, int port) {
        try {
            return resolver.resolve(host).stream()
                    .map(address -> new InetSocketAddress(address, port))
                    .toList();
        } catch (UnknownHostException e) {
            // The watch of the members has logged it.
            return List.of();
        }
    }

    // --- for operators

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public NodeStatus self() {
        NodeStates.Present now = states.present();
        long mirrored = 0;
        for (PeerStatus peer : replication.peers()) {
            mirrored += peer.copyCount();
        }
        return new NodeStatus(
                self.address(),
                Presence.PRESENT,
                now.state(),
                settings.version(),
                settings.grpcPort(),
                settings.groupPort(),
                self.incarnation(),
                now.since(),
                clock.millis(),
                server.connections(),
                server.revision(),
                replication.summary().count(),
                mirrored,
                0,
                now.state() == NodeState.READY ? null : now.reason());
    }

    @Override
    public List<NodeStatus> all() {
        Map<String, NodeStatus> all = new TreeMap<>();
        all.put(self.address(), self());
        for (PeerStatus peer : replication.peers()) {
            all.put(peer.id().address(), status(peer));
        }
        for (NodeTable.Heartbeat each : witness.rows()) {
            String address = each.row().node().address();
            all.putIfAbsent(address, absent(address, each));
        }
        for (MemberAddress member : watch.members().named()) {
            if (nameInView(member).isEmpty()) {
                all.putIfAbsent(member.toString(), absent(member.toString(), null));
            }
        }
        return List.copyOf(all.values());
    }

    private NodeStatus status(PeerStatus peer) {
        ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
        ClusterMessage.Hello hello = peer.hello();
        Followed known = followed.get(peer.id());
        NodeState state = state(peer);
        long silentNanos = known == null ? 0 : nanoTime.getAsLong() - known.heardNanos();
        boolean isSilent = heartbeat != null && silentNanos >= SILENCE.toNanos();
        Presence presence =
                peer.incompatible() ? Presence.INCOMPATIBLE : isSilent ? Presence.SUSPECTED : Presence.PRESENT;
        return new NodeStatus(
                peer.id().address(),
                presence,
                state,
                hello == null ? "" : hello.version(),
                hello == null ? 0 : hello.grpcPort(),
                hello == null ? 0 : hello.groupPort(),
                peer.id().incarnation(),
                known == null ? 0 : known.since(),
                heartbeat == null ? 0 : clock.millis() - TimeUnit.NANOSECONDS.toMillis(silentNanos),
                heartbeat == null ? 0 : heartbeat.connections(),
                heartbeat == null ? 0 : heartbeat.revision(),
                heartbeat == null ? 0 : heartbeat.count(),
                peer.copyCount(),
                heartbeat == null ? 0 : Math.max(0, heartbeat.sequence() - Math.max(0, peer.copySequence())),
                reason(presence, state));
    }

    private static @Nullable String reason(Presence presence, NodeState state) {
        return switch (presence) {
            case INCOMPATIBLE -> "it speaks no protocol that this node speaks; upgrade one of them";
            case SUSPECTED -> "it has sent no heartbeat for some seconds";
            case ABSENT -> "it is no member of the group";
            case PRESENT -> state == NodeState.READY ? null : "it says that it is " + state;
        };
    }

    private NodeStatus absent(String address, NodeTable.@Nullable Heartbeat known) {
        String reason = reason(Presence.ABSENT, NodeState.JOINING);
        if (known == null) {
            return new NodeStatus(
                    address, Presence.ABSENT, NodeState.JOINING, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, reason);
        }
        NodeTable.Row row = known.row();
        return new NodeStatus(
                address,
                Presence.ABSENT,
                state(row),
                row.version(),
                row.grpcPort(),
                row.groupPort(),
                row.startedAtMillis(),
                0,
                clock.millis() - known.age().toMillis(),
                row.connections(),
                row.revision(),
                0,
                0,
                0,
                reason);
    }

    /** A later release may write a state that this one does not know. */
    private static NodeState state(NodeTable.Row row) {
        for (NodeState state : NodeState.values()) {
            if (state.name().equals(row.state())) {
                return state;
            }
        }
        return NodeState.JOINING;
    }

    @Override
    public List<NodeFinding> findings() {
        List<NodeFinding> findings = new ArrayList<>();
        Set<String> beating = new HashSet<>();
        witness.unseen(view.members()).forEach(row -> beating.add(row.node().address()));
        for (NodeStatus node : all()) {
            if (node.presence() == Presence.ABSENT) {
                findings.add(new NodeFinding(
                        NodeFinding.Kind.NODE_AWAY,
                        node.address(),
                        beating.contains(node.address())
                                ? "Its heartbeat in the database goes on, and this node does not reach its group port "
                                        + node.groupPort() + ": open that port between the nodes"
                                : lookup.source() + " names it, and it does not run: start it, or take it off"));
            }
        }
        if (states.present().isIncomplete()) {
            findings.add(new NodeFinding(
                    NodeFinding.Kind.NODE_BEHIND,
                    self.address(),
                    "It went into service after " + settings.joinTimeout().toSeconds()
                            + " s without all instances of the other nodes (cairn.cluster.join-timeout)"));
        }
        replication.peers().forEach(peer -> addFindings(findings, peer));
        return findings;
    }

    private void addFindings(List<NodeFinding> findings, PeerStatus peer) {
        String address = peer.id().address();
        ClusterMessage.Hello hello = peer.hello();
        Followed known = followed.get(peer.id());
        if (known != null && known.isBehind()) {
            findings.add(new NodeFinding(
                    NodeFinding.Kind.NODE_BEHIND,
                    address,
                    "It shows contents that are more than " + RevisionLag.AGE.toSeconds()
                            + " s old: look at its log and at its connection to the database"));
        }
        if (peer.clockIsOff()) {
            findings.add(new NodeFinding(
                    NodeFinding.Kind.CLOCK_OFF,
                    address,
                    "Its clock is more than " + ClusterClock.MAX_AHEAD.toSeconds()
                            + " s ahead of this node's: set the clocks of both"));
        }
        if (hello == null) {
            return;
        }
        String fingerprint = server.keysFingerprint();
        if (!fingerprint.isEmpty()
                && !hello.keysFingerprint().isEmpty()
                && !fingerprint.equals(hello.keysFingerprint())) {
            findings.add(new NodeFinding(
                    NodeFinding.Kind.KEYS_DIFFER,
                    address,
                    "It signs tokens with other keys than this node, so a token of one is refused by the other: set the"
                            + " same key on all nodes, or none"));
        }
        if (hello.settingsDigest() != server.settingsDigest()) {
            findings.add(
                    new NodeFinding(
                            NodeFinding.Kind.SETTINGS_DIFFER,
                            address,
                            "Settings that must agree on all nodes differ from this node's: compare conf/application.properties"));
        }
    }

    /** The name under which a node that a source names is in the view; empty when it is not. A source may name hosts. */
    private Optional<String> nameInView(MemberAddress member) {
        return view.members().stream()
                .map(NodeId::address)
                .filter(address -> isSame(member, address))
                .findFirst();
    }

    private Optional<MemberAddress> named(NodeId node) {
        return named.keySet().stream()
                .filter(member -> isSame(member, node.address()))
                .findFirst();
    }

    private boolean isSame(MemberAddress member, String address) {
        if (member.toString().equals(address)) {
            return true;
        }
        List<InetSocketAddress> resolved = named.get(member);
        return resolved != null
                && resolved.stream()
                        .anyMatch(each -> MemberAddress.join(each.getAddress().getHostAddress(), member.httpPort())
                                .equals(address));
    }

    private static List<String> addresses(Collection<NodeId> nodes) {
        return nodes.stream().map(NodeId::address).toList();
    }

    /** The share of one processor that this process has used since the call before. Used by one thread. */
    private static final class CpuShare {

        private final OperatingSystemMXBean system =
                Objects.requireNonNull(ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class));
        private long lastNanos = System.nanoTime();
        private long lastCpuNanos = system.getProcessCpuTime();

        long permille() {
            long now = System.nanoTime();
            long used = system.getProcessCpuTime();
            long passed = Math.max(1, now - lastNanos);
            long permille = Math.max(0, used - lastCpuNanos) * 1_000 / passed;
            lastNanos = now;
            lastCpuNanos = used;
            return permille;
        }
    }
}

package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.MalformedMessageException;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.group.CopyMemory;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.OwnPublications;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.timer.Standstill;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicates the registry: a lane to each member for changes here, a copy of each member, and copies of departed nodes. Messages of
 * one sender arrive in order; messages of several senders, and views, concurrently.
 */
public final class RegistryReplication implements AutoCloseable {

    private static final Duration IN_STEP = Duration.ofSeconds(3);

    /** A member that was silent for this time when it left the view has hung: a dead one leaves after 1 to 3 s. */
    private static final Duration HUNG = Duration.ofSeconds(4);

    private static final Logger log = LoggerFactory.getLogger(RegistryReplication.class);

    private final NodeId self;
    private final SelfDescription description;
    private final OwnPublications publications;
    private final ClusterClock clock;
    private final LaneDriver driver;
    private final BeatingNodes beating;
    private final BiConsumer<NodeId, ClusterMessage> others;
    private final List<Runnable> stateListeners = new CopyOnWriteArrayList<>();
    private final LongSupplier nanoTime;
    private final ClusterCodec codec = new ClusterCodec();
    private final OwnLog own;
    /** Holds are measured by its run time: after a pause, the messages that end a hold are still unread. */
    private final Standstill.Watch runs;

    private final CopyFactory copyFactory;
    private final Map<NodeId, Peer> peers = new ConcurrentHashMap<>();
    private final DepartedCopies departed;
    private final LongAdder malformed = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder endedSnapshots = new LongAdder();
    private final Object membership = new Object();
    private volatile boolean holdsAll;

    @GuardedBy("membership")
    private final EarlyMessages early = new EarlyMessages();

    @GuardedBy("membership")
    private long streams;

    /**
     * @param window how long instances of a departed node are kept, by the SDK of their client
     * @param others receives messages not about the registry, on the receiving thread; must return at once
     * @param nanoTime as {@link System#nanoTime}
     */
    RegistryReplication(
            NodeId self,
            LocalNode node,
            MirroredRegistry registry,
            OwnPublications publications,
            ClusterClock clock,
            LaneDriver driver,
            BeatingNodes beating,
            Function<String, Duration> window,
            BiConsumer<NodeId, ClusterMessage> others,
            LongSupplier nanoTime) {
        this.self = self;
        this.publications = publications;
        this.clock = clock;
        this.driver = driver;
        this.beating = beating;
        this.others = others;
        this.nanoTime = nanoTime;
        RecentDeregistrations deregistrations = new RecentDeregistrations(nanoTime);
        this.own = new OwnLog(clock, nanoTime, deregistrations);
        this.runs = new Standstill.Watch(Standstill.OF_HOLDS, nanoTime);
        this.copyFactory = new CopyFactory(registry, clock, deregistrations, window, runs::ranNanos);
        this.departed = new DepartedCopies(copyFactory::newCopy);
        this.description = new SelfDescription(self, node, own, clock);
    }

    public static RegistryReplication withThreads(
            NodeId self,
            LocalNode node,
            MirroredRegistry registry,
            OwnPublications publications,
            ClusterClock clock,
            PeerTransport transport,
            BeatingNodes beating,
            Function<String, Duration> window,
            BiConsumer<NodeId, ClusterMessage> others) {
        return new RegistryReplication(
                self,
                node,
                registry,
                publications,
                clock,
                new LaneThreads(transport),
                beating,
                window,
                others,
                System::nanoTime);
    }

    public OwnChanges changes() {
        return own;
    }

    /** @param listener called with a member's new state on the receiving thread; must return at once */
    public void followStates(Runnable listener) {
        stateListeners.add(listener);
    }

    /** @param follower receives the name of each changed publication of other nodes; may take a leaf lock, must return at once */
    void followCopies(Consumer<CopyMemory.Key> follower) {
        copyFactory.follow(follower);
    }

    /** Passes the shown state of each publication to the consumer, or null. */
    void forEachKnown(
            Collection<CopyMemory.Key> keys, BiConsumer<CopyMemory.Key, RegistryEntry.@Nullable Published> consumer) {
        Map<NodeId, PeerCopy> all;
        synchronized (membership) {
            all = copies();
        }
        for (CopyMemory.Key key : keys) {
            PeerCopy copy = all.get(key.owner());
            consumer.accept(key, copy == null ? null : copy.known(key.publisherId(), key.service()));
        }
    }

    /**
     * Holds entries of a non-member from before this node's restart.
     *
     * @return the number of held publications; 0 for a member
     */
    int holdKnown(NodeId owner, List<RegistryEntry> entries) {
        synchronized (membership) {
            return owner.equals(self) || peers.containsKey(owner) ? 0 : departed.holdKnown(owner, entries);
        }
    }

    /**
     * Applies a view.
     *
     * @param members in the order of the view, with this node
     * @param merged whether it is a merge: messages may be lost, so all streams open again
     */
    public void view(List<NodeId> members, boolean merged) {
        List<Peer> newcomers = new ArrayList<>();
        synchronized (membership) {
            Set<NodeId> before = new HashSet<>(peers.keySet());
            List<PeerCopy> gone = new ArrayList<>();
            for (NodeId id : before) {
                if (!members.contains(id)) {
                    gone.add(depart(id));
                }
            }
            DepartedCopies.comparePositions(gone, peers.values());
            for (NodeId id : members) {
                Peer known = peers.get(id);
                if (known == null && !id.equals(self)) {
                    newcomers.add(arrive(id));
                } else if (known != null && merged) {
                    known.copy().metAgain();
                    open(known);
                }
            }
            sendDeparted(members, before);
        }
        newcomers.forEach(this::handleEarly);
    }

    /** Handles messages that the peer sent before this node had the view, unless their thread has. */
    private void handleEarly(Peer peer) {
        synchronized (peer) {
            for (byte[] encoded = peer.nextEarly(); encoded != null; encoded = peer.nextEarly()) {
                handle(peer, encoded);
            }
        }
    }

    @GuardedBy("membership")
    private Peer arrive(NodeId id) {
        PeerCopy known = departed.remove(id);
        PeerCopy copy = known != null ? known : copyFactory.newCopy(id);
        PeerLane lane = new PeerLane(self.incarnation(), own, publications, codec, nanoTime);
        Peer peer = new Peer(id, lane, copy, nanoTime.getAsLong());
        copy.arrived();
        peer.sendBy(driver);
        own.follow(peer.follower());
        open(peer);
        early.take(id, peer::takeEarly);
        peers.put(id, peer);
        return peer;
    }

    @GuardedBy("membership")
    private PeerCopy depart(NodeId id) {
        Peer peer = Objects.requireNonNull(peers.remove(id));
        end(peer);
        endedSnapshots.add(peer.lane().snapshots());
        departed.add(peer.copy());
        peer.copy().departed(peer.silentNanos(nanoTime.getAsLong()) >= HUNG.toNanos());
        return peer.copy();
    }

    private void end(Peer peer) {
        own.unfollow(peer.follower());
        peer.stop();
    }

    @GuardedBy("membership")
    private void open(Peer peer) {
        peer.open(++streams);
        peer.offer(description.hello(peer.stream()));
    }

    /**
     * A joining node lacks the copies of nodes that departed before or during its join. The first node in service sends them;
     * without such a node, each sends its own.
     */
    @GuardedBy("membership")
    private void sendDeparted(List<NodeId> members, Set<NodeId> before) {
        List<Peer> joining = peers.values().stream()
                .filter(peer -> !before.contains(peer.id()) || peer.state() != NodeState.READY)
                .toList();
        if (joining.isEmpty() || departed.isEmpty()) {
            return;
        }
        // Of two parts that merge, each sends to the other.
        NodeId first = members.stream()
                .filter(id -> (id.equals(self) || before.contains(id)) && isInService(id))
                .findFirst()
                .orElse(self);
        if (first.equals(self)) {
            departed.sendTo(joining);
        }
    }

    private boolean isInService(NodeId id) {
        Peer peer = peers.get(id);
        NodeState state = id.equals(self) ? description.state() : peer == null ? NodeState.JOINING : peer.state();
        return state == NodeState.READY || state == NodeState.DRAINING;
    }

    /** Sends nothing more. The copies stay as they are. */
    @Override
    public void close() {
        synchronized (membership) {
            peers.values().forEach(this::end);
        }
    }

    /** Drops a malformed message whole; the stream repairs the gap. */
    public void message(NodeId from, byte[] encoded) {
        Peer peer = peers.get(from);
        if (peer == null) {
            peer = memberOrKeep(from, encoded);
        }
        if (peer != null) {
            handleEarly(peer);
            synchronized (peer) {
                handle(peer, encoded);
            }
        }
    }

    /** The member, if its view has arrived meanwhile; null when the message was kept. */
    private @Nullable Peer memberOrKeep(NodeId from, byte[] encoded) {
        synchronized (membership) {
            Peer peer = peers.get(from);
            if (peer == null && !early.add(from, encoded, runs.ranNanos())) {
                late.increment();
            }
            return peer;
        }
    }

    private void handle(Peer peer, byte[] encoded) {
        if (runs.present() > 0) {
            // A client may have moved between two other nodes.
            peer.copy().metAgain();
        }
        try {
            ClusterMessage message = peer.decoded(encoded, codec);
            if (message != null) {
                handle(peer, message);
            }
        } catch (MalformedMessageException e) {
            malformed.increment();
            log.warn("A message of {} is dropped, because it cannot be read: {}", peer.id(), e.getMessage());
        }
    }

    private void handle(Peer peer, ClusterMessage message) {
        if (message instanceof ClusterMessage.Hello hello) {
            NodeState before = peer.state();
            boolean isCommon = peer.hello(hello);
            notifyOfState(peer, before);
            if (isCommon) {
                answer(peer, peer.copy().opened(hello));
            }
        } else if (message instanceof ClusterMessage.StreamPosition position) {
            if (position.incarnation() == self.incarnation()) {
                peer.position(position);
            }
        } else if (message instanceof ClusterMessage.Delta delta) {
            answer(peer, peer.copy().delta(delta));
        } else if (message instanceof ClusterMessage.Snapshot snapshot) {
            answer(peer, peer.copy().snapshot(snapshot));
        } else if (message instanceof ClusterMessage.Heartbeat heartbeat) {
            NodeState before = peer.state();
            peer.heartbeat(heartbeat, clock, nanoTime.getAsLong());
            notifyOfState(peer, before);
            answer(peer, peer.copy().heartbeat(heartbeat));
        } else if (message instanceof ClusterMessage.SnapshotRequest request) {
            peer.lane().snapshotRequested(request);
        } else if (message instanceof ClusterMessage.Orphans orphans) {
            orphans(peer, orphans);
        } else if (message instanceof ClusterMessage.DepartedPosition position) {
            synchronized (membership) {
                departed.compare(peer, position);
            }
        } else {
            others.accept(peer.id(), message);
        }
    }

    private static void answer(Peer peer, @Nullable ClusterMessage answer) {
        if (answer != null) {
            // A full queue drops it; the peer opens the stream again, and the gap is detected again.
            peer.offer(answer);
        }
    }

    private void notifyOfState(Peer peer, NodeState before) {
        if (peer.state() != before) {
            stateListeners.forEach(Runnable::run);
        }
    }

    private void orphans(Peer sender, ClusterMessage.Orphans orphans) {
        synchronized (membership) {
            if (!orphans.owner().equals(self) && !peers.containsKey(orphans.owner())) {
                departed.orphans(sender.id(), orphans);
            }
        }
    }

    /**
     * While set, nothing held ends, for 10 minutes at most: clients that are not admitted cannot return, and a stopping server
     * keeps the list from before the stop.
     */
    public void holdAll(boolean now) {
        holdsAll = now;
    }

    /** Sends a heartbeat to each member, and ends due holds. To be called every second. */
    public void everySecond() {
        runs.run(pause -> peers.values().forEach(peer -> peer.copy().metAgain()));
        SelfDescription.Heartbeats heartbeats = description.heartbeats();
        for (Peer peer : peers.values()) {
            long stream = peer.stream();
            if (!peer.isPositioned()) {
                peer.offer(description.hello(stream));
            }
            peer.offer(heartbeats.of(stream));
        }
        // An isolated node may not reach the database either, and then does not know the living nodes.
        boolean isCutOff = heartbeats.state() == NodeState.ISOLATED
                || beating.now().stream().anyMatch(id -> !id.equals(self) && !peers.containsKey(id));
        boolean isHeld = isCutOff || holdsAll;
        copies().values().forEach(copy -> copy.expire(isHeld));
        synchronized (membership) {
            departed.removeOver();
            late.add(early.dropLate(runs.ranNanos()));
        }
    }

    /**
     * Queues a message before the changes of the registry.
     *
     * @return false when the node is no member, or its queue is full
     */
    public boolean send(NodeId to, ClusterMessage message) {
        Peer peer = peers.get(to);
        return peer != null && peer.offer(message);
    }

    /** Whether all entries of the members are here, and the copies of members that departed during the join. */
    public boolean isComplete() {
        return peers.values().stream().allMatch(peer -> peer.copy().isComplete()) && !departed.isAnyWanted();
    }

    /**
     * Whether each member has sent a heartbeat within 3 s, and its copy is not behind. After a pause of this node it is false until
     * the others have it in their view again, whatever the transport has queued.
     */
    public boolean isInStep() {
        long now = clock.millis();
        for (Peer peer : peers.values()) {
            ClusterMessage.Heartbeat last = peer.lastHeartbeat();
            if (last == null
                    || now - last.clock() >= IN_STEP.toMillis()
                    || peer.copy().summary().sequence() < last.sequence()) {
                return false;
            }
        }
        return true;
    }

    public Collection<PeerStatus> peers() {
        return peers.values().stream().map(Peer::status).toList();
    }

    public OwnLog.@Nullable Summary copied(NodeId owner) {
        Peer peer = peers.get(owner);
        return peer == null ? null : peer.copy().summary();
    }

    public OwnLog.Summary summary() {
        return own.summary();
    }

    public long diverged() {
        return copyFactory.diverged();
    }

    public long orphans() {
        return departed.count();
    }

    public long snapshots() {
        return endedSnapshots.sum()
                + peers.values().stream()
                        .mapToLong(peer -> peer.lane().snapshots())
                        .sum();
    }

    public long unreadable() {
        return malformed.sum() + codec.unknownMessages();
    }

    public long late() {
        return late.sum();
    }

    Map<NodeId, PeerCopy> copies() {
        Map<NodeId, PeerCopy> all = new HashMap<>(departed.byOwner());
        peers.forEach((id, peer) -> all.put(id, peer.copy()));
        return all;
    }
}

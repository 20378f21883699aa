package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.EntryBatch;
import io.cairn.server.cluster.wire.FragmentAssembly;
import io.cairn.server.cluster.wire.MalformedMessageException;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.CopyMemory;
import io.cairn.server.naming.MirroredRegistry;
import io.cairn.server.naming.OwnChanges;
import io.cairn.server.naming.OwnPublications;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry of this node and those of the others, kept the same: one lane to each member for what this node changes, one copy of
 * each member, and the copies of departed nodes. Thread-safe. Messages of one sender come one after the other; messages of different
 * senders and views may come at the same time.
 */
public final class RegistryReplication implements AutoCloseable {

    /** A message whose sender is not in the view waits for this time for a view that names the sender. */
    static final Duration EARLY = Duration.ofSeconds(2);

    private static final Duration IN_STEP = Duration.ofSeconds(3);

    /** A member that was silent for this time when it left the view has hung: one that has died leaves it after 1 to 3 s. */
    private static final Duration HUNG = Duration.ofSeconds(4);

    /** How many such messages wait; further ones are dropped, and the stream is repaired as after any gap. */
    static final int MAX_EARLY = 2_000;

    /** A node that was stopped for a while has not waited in that time. */
    private static final long MOST_BETWEEN_CALLS_NANOS = Duration.ofSeconds(2).toNanos();

    private static final Logger log = LoggerFactory.getLogger(RegistryReplication.class);

    private final NodeId self;
    private final LocalNode node;
    private final MirroredRegistry registry;
    private final OwnPublications publications;
    private final ClusterClock clock;
    private final LaneDriver driver;
    private final BeatingNodes beating;
    private final Function<String, Duration> window;
    private final BiConsumer<NodeId, ClusterMessage> others;
    private final List<Runnable> stateListeners = new CopyOnWriteArrayList<>();
    private final LongSupplier nanoTime;
    private final ClusterCodec codec = new ClusterCodec();
    private final RecentDeregistrations deregistrations;
    private final OwnLog own;
    private final Map<NodeId, Peer> peers = new ConcurrentHashMap<>();
    private final Map<NodeId, PeerCopy> departed = new ConcurrentHashMap<>();
    private final LongAdder diverged = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder endedSnapshots = new LongAdder();
    private final Object membership = new Object();

    /**
     * Time in which this node has run, from one call of {@link #everySecond} to the next. Publications are held for such time: after a
     * pause of this node the messages that end the wait in a good way are still to be read.
     */
    private final AtomicLong runNanos = new AtomicLong();

    private final AtomicLong lastCallNanos;

    @GuardedBy("membership")
    private final ArrayDeque<Early> early = new ArrayDeque<>();

    @GuardedBy("membership")
    private long streams;

    private volatile @Nullable Consumer<CopyMemory.Key> copiesFollower;

    private record Early(NodeId from, byte[] message, long sinceNanos) {}

    /** A member of the present view. */
    private static final class Peer {

        private final NodeId id;
        private final PeerLane lane;
        private final PeerCopy copy;
        private final Runnable follower;

        @GuardedBy("this")
        private final ArrayDeque<byte[]> early = new ArrayDeque<>(0);

        @GuardedBy("this")
        private final FragmentAssembly fragments = new FragmentAssembly();

        private LaneDriver.@Nullable Driven driven;
        private volatile long stream;
        private volatile boolean positioned;
        private volatile boolean incompatible;
        private volatile boolean clockIsOff;
        private final ClockOffset clockOffset = new ClockOffset();
        private volatile ClusterMessage.@Nullable Hello hello;
        private volatile ClusterMessage.@Nullable Heartbeat heartbeat;
        /** When the last heartbeat came, or the member. */
        private volatile long heardNanos;

        Peer(NodeId id, PeerLane lane, PeerCopy copy) {
            this.id = id;
            this.lane = lane;
            this.copy = copy;
            this.follower = lane::changed;
        }

        /** As it has said last. */
        NodeState state() {
            return saidBy(hello, heartbeat);
        }

        synchronized void takeEarly(byte[] message) {
            early.add(message);
        }
    }

    /**
     * A member as this node knows it.
     *
     * @param hello null until it has come
     * @param heartbeat the last one; null until one has come
     * @param incompatible whether it speaks no protocol that this node speaks
     * @param clockIsOff whether its clock is too far ahead to be followed
     * @param isComplete whether all that it owns is here
     * @param copyCount how many publications and checks of it are here
     * @param copySequence the number of its changes up to which they are here; -1 for none
     * @param sentSequence the number of this node's changes up to which they were sent to it
     * @param digestsEqual whether it and its copy had the same entries when they were last compared; null before the first time
     * @param behindMillis for how long its copy has not had all that it says it has; 0 when it has
     * @param millisSinceDiffered time since its copy last differed from what it owns; null for never
     * @param clockOffsetMillis how far the clock of its machine is ahead; null while it is not known
     */
    public record PeerStatus(
            NodeId id,
            ClusterMessage.@Nullable Hello hello,
            ClusterMessage.@Nullable Heartbeat heartbeat,
            boolean incompatible,
            boolean clockIsOff,
            boolean isComplete,
            long copyCount,
            long copySequence,
            long sentSequence,
            @Nullable Boolean digestsEqual,
            long behindMillis,
            @Nullable Long millisSinceDiffered,
            @Nullable Long clockOffsetMillis) {

        /** Without a comparison of its copy. */
        public PeerStatus(
                NodeId id,
                ClusterMessage.@Nullable Hello hello,
                ClusterMessage.@Nullable Heartbeat heartbeat,
                boolean incompatible,
                boolean clockIsOff,
                boolean isComplete,
                long copyCount,
                long copySequence,
                long sentSequence) {
            this(
                    id,
                    hello,
                    heartbeat,
                    incompatible,
                    clockIsOff,
                    isComplete,
                    copyCount,
                    copySequence,
                    sentSequence,
                    null,
                    0,
                    null,
                    null);
        }

        /** How many of its changes are not here yet, as far as its last heartbeat says. */
        public long missing() {
            return heartbeat == null ? 0 : Math.max(0, heartbeat.sequence() - Math.max(0, copySequence));
        }

        /** As it has said last; joining before it has said anything. */
        public NodeState state() {
            return saidBy(hello, heartbeat);
        }
    }

    private static NodeState saidBy(
            ClusterMessage.@Nullable Hello hello, ClusterMessage.@Nullable Heartbeat heartbeat) {
        return heartbeat != null ? heartbeat.state() : hello != null ? hello.state() : NodeState.JOINING;
    }

    /**
     * @param window for how long instances are kept whose node has departed, by the SDK of their client
     * @param others gets the messages that are not about the registry, on the thread that has received them; returns at once
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
        this.node = node;
        this.registry = registry;
        this.publications = publications;
        this.clock = clock;
        this.driver = driver;
        this.beating = beating;
        this.window = window;
        this.others = others;
        this.nanoTime = nanoTime;
        this.lastCallNanos = new AtomicLong(nanoTime.getAsLong());
        this.deregistrations = new RecentDeregistrations(nanoTime);
        this.own = new OwnLog(clock, nanoTime, deregistrations);
    }

    /** With a thread for each lane. */
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

    /** Where the registry records what it changes. */
    public OwnChanges changes() {
        return own;
    }

    /** @param listener called when a member says that it has another state, on the thread that has received it; returns at once */
    public void followStates(Runnable listener) {
        stateListeners.add(listener);
    }

    // --- what is known over a restart of this node

    /** @param follower gets the name of each publication of another node that changes; takes a leaf lock at most, returns at once */
    void followCopies(Consumer<CopyMemory.Key> follower) {
        copiesFollower = follower;
    }

    /** Calls the consumer with what this node shows of each of these publications; with null where it shows none. */
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
     * Holds what this node knows from before its restart of a node that is no member.
     *
     * @return how many publications these are; 0 when the node is a member
     */
    int holdKnown(NodeId owner, List<RegistryEntry> entries) {
        synchronized (membership) {
            return owner.equals(self) || peers.containsKey(owner)
                    ? 0
                    : departed.computeIfAbsent(owner, this::newCopy).holdKnown(entries);
        }
    }

    // --- members

    /**
     * The group has another view.
     *
     * @param members in the order of the view, with this node
     * @param merged whether it came of a merge: messages may have been lost, so all streams are opened again
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
            comparePositions(gone);
            for (NodeId id : members) {
                Peer known = peers.get(id);
                if (known == null && !id.equals(self)) {
                    newcomers.add(arrive(id));
                } else if (known != null && merged) {
                    known.copy.metAgain();
                    open(known);
                }
            }
            sendDeparted(members, before);
        }
        newcomers.forEach(this::handleEarly);
    }

    /** Handles what the peer has sent before this node had the view, if the thread that brings its messages has not done so. */
    private void handleEarly(Peer peer) {
        synchronized (peer) {
            for (byte[] encoded = peer.early.poll(); encoded != null; encoded = peer.early.poll()) {
                handle(peer, encoded);
            }
        }
    }

    @GuardedBy("membership")
    private Peer arrive(NodeId id) {
        PeerCopy known = departed.remove(id);
        PeerCopy copy = known != null ? known : newCopy(id);
        PeerLane lane = new PeerLane(self.incarnation(), own, publications, codec, nanoTime);
        Peer peer = new Peer(id, lane, copy);
        peer.heardNanos = nanoTime.getAsLong();
        copy.arrived();
        LaneDriver.Driven driven = driver.drive(id, lane);
        peer.driven = driven;
        lane.wakeWith(driven::wake);
        own.follow(peer.follower);
        open(peer);
        for (Iterator<Early> all = early.iterator(); all.hasNext(); ) {
            Early each = all.next();
            if (each.from().equals(id)) {
                all.remove();
                peer.takeEarly(each.message());
            }
        }
        peers.put(id, peer);
        return peer;
    }

    private PeerCopy newCopy(NodeId id) {
        return new PeerCopy(id, registry, clock, deregistrations, window, runNanos::get, new CopyEvents());
    }

    private final class CopyEvents implements PeerCopy.Events {

        @Override
        public void diverged(NodeId owner) {
            diverged.increment();
            log.warn(
                    "The copy of what {} owns had another digest at the same number of changes; it is sent again whole",
                    owner);
        }

        @Override
        public void changed(NodeId owner, String publisherId, ServiceKey service) {
            Consumer<CopyMemory.Key> follower = copiesFollower;
            if (follower != null) {
                follower.accept(new CopyMemory.Key(owner, publisherId, service));
            }
        }
    }

    @GuardedBy("membership")
    private PeerCopy depart(NodeId id) {
        Peer peer = Objects.requireNonNull(peers.remove(id));
        own.unfollow(peer.follower);
        if (peer.driven != null) {
            peer.driven.stop();
        }
        endedSnapshots.add(peer.lane.snapshots());
        departed.put(id, peer.copy);
        peer.copy.departed(nanoTime.getAsLong() - peer.heardNanos >= HUNG.toNanos());
        return peer.copy;
    }

    /** The last changes of a node that has died may have reached some of the others only. */
    @GuardedBy("membership")
    private void comparePositions(List<PeerCopy> gone) {
        for (PeerCopy copy : gone) {
            for (Peer peer : peers.values()) {
                peer.lane.offer(new ClusterMessage.DepartedPosition(copy.owner(), copy.position()));
            }
        }
    }

    private void compare(Peer sender, ClusterMessage.DepartedPosition theirs) {
        synchronized (membership) {
            PeerCopy copy = departed.get(theirs.owner());
            if (copy == null) {
                // This node has not seen it depart, and will send its own position then; or it has nothing of it.
                return;
            }
            long own = copy.position();
            if (own > theirs.sequence()) {
                PeerCopy.Kept kept = copy.kept(theirs.sequence());
                if (!kept.entries().isEmpty()) {
                    sendOrphans(sender, copy.owner(), orphans(copy.owner(), kept));
                }
            } else if (own < theirs.sequence()) {
                sender.lane.offer(new ClusterMessage.DepartedPosition(copy.owner(), own));
            }
        }
    }

    @GuardedBy("membership")
    private void open(Peer peer) {
        peer.stream = ++streams;
        peer.positioned = false;
        peer.lane.open(peer.stream);
        peer.lane.offer(hello(peer.stream));
    }

    private ClusterMessage.Hello hello(long stream) {
        LocalNode.Description now = node.description();
        return new ClusterMessage.Hello(
                self,
                now.grpcPort(),
                now.groupPort(),
                now.version(),
                ClusterMessage.OLDEST_PROTOCOL,
                ClusterMessage.NEWEST_PROTOCOL,
                now.state(),
                stream,
                own.sequence(),
                now.settingsDigest(),
                now.keysFingerprint());
    }

    /**
     * A node that joins has no copies of those that are gone, and not all of those that go while it joins. The first of the nodes that
     * are in service sends them; where none is, each sends what it has.
     */
    @GuardedBy("membership")
    private void sendDeparted(List<NodeId> members, Set<NodeId> before) {
        List<Peer> joining = peers.values().stream()
                .filter(peer -> !before.contains(peer.id) || peer.state() != NodeState.READY)
                .toList();
        if (joining.isEmpty() || departed.isEmpty()) {
            return;
        }
        // Of two parts that merge, each sends to the other.
        NodeId first = members.stream()
                .filter(id -> (id.equals(self) || before.contains(id)) && isInService(id))
                .findFirst()
                .orElse(self);
        if (!first.equals(self)) {
            return;
        }
        // The last one that has departed last: a node that waits for it has the others by then.
        departed.values().stream()
                .sorted(Comparator.comparingLong(PeerCopy::departedNanos))
                .forEach(copy -> {
                    List<byte[]> messages = orphans(copy.owner(), copy.kept(OwnLog.START));
                    joining.forEach(peer -> sendOrphans(peer, copy.owner(), messages));
                });
    }

    private boolean isInService(NodeId id) {
        Peer peer = peers.get(id);
        NodeState state =
                id.equals(self) ? node.description().state() : peer == null ? NodeState.JOINING : peer.state();
        return state == NodeState.READY || state == NodeState.DRAINING;
    }

    private static void sendOrphans(Peer peer, NodeId owner, List<byte[]> messages) {
        if (!peer.lane.offerBulk(messages)) {
            log.warn(
                    "{} gets nothing of the instances that are kept of {}, because too much waits for it; it lists them when"
                            + " their clients are elsewhere",
                    peer.id,
                    owner);
        }
    }

    private static List<byte[]> orphans(NodeId owner, PeerCopy.Kept kept) {
        List<byte[]> messages = new ArrayList<>();
        EntryBatch batch = EntryBatch.ofOrphans();
        for (RegistryEntry entry : kept.entries()) {
            if (!batch.add(entry)) {
                messages.add(batch.finishOrphans(owner, kept.ageMillis(), messages.size(), false));
                batch = EntryBatch.ofOrphans();
                batch.add(entry);
            }
        }
        messages.add(batch.finishOrphans(owner, kept.ageMillis(), messages.size(), true));
        return messages;
    }

    /** Sends nothing more. The copies stay as they are. */
    @Override
    public void close() {
        synchronized (membership) {
            for (Peer peer : peers.values()) {
                own.unfollow(peer.follower);
                if (peer.driven != null) {
                    peer.driven.stop();
                }
            }
        }
    }

    // --- messages

    /** A message has come. A malformed one is dropped whole; the stream that it belonged to is repaired as after any gap. */
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

    /** The member, where the view has come meanwhile; null when the message was kept. */
    private @Nullable Peer memberOrKeep(NodeId from, byte[] encoded) {
        synchronized (membership) {
            Peer peer = peers.get(from);
            if (peer == null) {
                if (early.size() < MAX_EARLY) {
                    early.add(new Early(from, encoded, runNanos.get()));
                } else {
                    late.increment();
                }
            }
            return peer;
        }
    }

    private void handle(Peer peer, byte[] encoded) {
        try {
            ClusterMessage message = codec.decode(encoded);
            if (message instanceof ClusterMessage.Fragment fragment) {
                byte[] whole;
                synchronized (peer) {
                    whole = peer.fragments.take(fragment);
                }
                message = whole == null ? null : codec.decode(whole);
            }
            if (message != null) {
                handle(peer, message);
            }
        } catch (MalformedMessageException e) {
            malformed.increment();
            log.warn("A message of {} is dropped, because it cannot be read: {}", peer.id, e.getMessage());
        }
    }

    private void handle(Peer peer, ClusterMessage message) {
        if (message instanceof ClusterMessage.Hello hello) {
            hello(peer, hello);
        } else if (message instanceof ClusterMessage.StreamPosition position) {
            if (position.incarnation() == self.incarnation() && peer.lane.position(position)) {
                peer.positioned = true;
            }
        } else if (message instanceof ClusterMessage.Delta delta) {
            answer(peer, peer.copy.delta(delta));
        } else if (message instanceof ClusterMessage.Snapshot snapshot) {
            answer(peer, peer.copy.snapshot(snapshot));
        } else if (message instanceof ClusterMessage.Heartbeat heartbeat) {
            follow(peer, heartbeat);
            NodeState before = peer.state();
            peer.heartbeat = heartbeat;
            peer.heardNanos = nanoTime.getAsLong();
            notifyOfState(peer, before);
            answer(peer, peer.copy.heartbeat(heartbeat));
        } else if (message instanceof ClusterMessage.SnapshotRequest request) {
            peer.lane.snapshotRequested(request);
        } else if (message instanceof ClusterMessage.Orphans orphans) {
            orphans(peer, orphans);
        } else if (message instanceof ClusterMessage.DepartedPosition position) {
            compare(peer, position);
        } else {
            others.accept(peer.id, message);
        }
    }

    private void hello(Peer peer, ClusterMessage.Hello hello) {
        boolean common = hello.oldestProtocol() <= ClusterMessage.NEWEST_PROTOCOL
                && hello.newestProtocol() >= ClusterMessage.OLDEST_PROTOCOL;
        if (!common && !peer.incompatible) {
            log.warn(
                    "{} (version {}) speaks protocols {}-{} of the group, this node {}-{}; nothing is exchanged with it"
                            + " until one of them is upgraded",
                    peer.id,
                    hello.version(),
                    hello.oldestProtocol(),
                    hello.newestProtocol(),
                    ClusterMessage.OLDEST_PROTOCOL,
                    ClusterMessage.NEWEST_PROTOCOL);
        }
        NodeState before = peer.state();
        peer.incompatible = !common;
        peer.hello = hello;
        notifyOfState(peer, before);
        if (common) {
            answer(peer, peer.copy.opened(hello));
        }
    }

    private static void answer(Peer peer, @Nullable ClusterMessage answer) {
        if (answer != null) {
            // A full queue drops it; the peer opens the stream again, and a gap is found again.
            peer.lane.offer(answer);
        }
    }

    private void notifyOfState(Peer peer, NodeState before) {
        if (peer.state() != before) {
            stateListeners.forEach(Runnable::run);
        }
    }

    private void follow(Peer peer, ClusterMessage.Heartbeat heartbeat) {
        boolean followed = clock.follow(heartbeat.clock());
        if (!followed && !peer.clockIsOff) {
            log.warn(
                    "The clock of {} is more than {} s ahead and is not followed; set the clocks of the nodes",
                    peer.id,
                    ClusterClock.MAX_AHEAD.toSeconds());
        }
        peer.clockIsOff = !followed;
        if (heartbeat.time() > 0) {
            peer.clockOffset.note(heartbeat.time(), clock.machineMillis());
        }
    }

    private void orphans(Peer sender, ClusterMessage.Orphans orphans) {
        synchronized (membership) {
            if (orphans.owner().equals(self) || peers.containsKey(orphans.owner())) {
                return;
            }
            departed.computeIfAbsent(orphans.owner(), this::newCopy).orphans(sender.id, orphans);
        }
    }

    // --- time

    /** To be called every second: sends a heartbeat to each member, and ends what has waited long enough. */
    public void everySecond() {
        long now = nanoTime.getAsLong();
        long pause = now - lastCallNanos.getAndSet(now);
        runNanos.addAndGet(Math.min(pause, MOST_BETWEEN_CALLS_NANOS));
        OwnLog.Summary summary = own.summary();
        LocalNode.Load load = node.load();
        LocalNode.Description description = node.description();
        for (Peer peer : peers.values()) {
            long stream = peer.stream;
            if (!peer.positioned) {
                peer.lane.offer(hello(stream));
            }
            peer.lane.offer(new ClusterMessage.Heartbeat(
                    stream,
                    summary.sequence(),
                    summary.count(),
                    summary.digest(),
                    description.state(),
                    clock.millis(),
                    load.revision(),
                    load.connections(),
                    load.permille(),
                    clock.machineMillis()));
        }
        // An isolated node may not reach the database either, and does not know then who is alive.
        boolean isCutOff = description.state() == NodeState.ISOLATED
                || beating.now().stream().anyMatch(id -> !id.equals(self) && !peers.containsKey(id));
        copies().values().forEach(copy -> copy.expire(isCutOff));
        synchronized (membership) {
            departed.values().removeIf(PeerCopy::isOver);
            for (Early oldest = early.peek();
                    oldest != null && runNanos.get() - oldest.sinceNanos() > EARLY.toNanos();
                    oldest = early.peek()) {
                early.remove();
                late.increment();
            }
        }
    }

    // --- what others need to know

    /**
     * Queues a message to a member, before the changes of the registry.
     *
     * @return false when the node is no member, or too many messages wait for it
     */
    public boolean send(NodeId to, ClusterMessage message) {
        Peer peer = peers.get(to);
        return peer != null && peer.lane.offer(message);
    }

    /** Whether all that the other members own is here, and what is kept of a member that departed while this node joined. */
    public boolean isComplete() {
        return peers.values().stream().allMatch(peer -> peer.copy.isComplete())
                && departed.values().stream().noneMatch(PeerCopy::isWanted);
    }

    /**
     * Whether each member has sent a heartbeat within the last 3 s, and its copy is not behind it. After a pause of this node this is
     * false until the others have it in their view again, whatever waits in the queues of the transport.
     */
    public boolean isInStep() {
        long now = clock.millis();
        for (Peer peer : peers.values()) {
            ClusterMessage.Heartbeat last = peer.heartbeat;
            if (last == null
                    || now - last.clock() >= IN_STEP.toMillis()
                    || peer.copy.summary().sequence() < last.sequence()) {
                return false;
            }
        }
        return true;
    }

    public Collection<PeerStatus> peers() {
        List<PeerStatus> all = new ArrayList<>();
        for (Peer peer : peers.values()) {
            OwnLog.Summary copied = peer.copy.summary();
            PeerCopy.Comparison compared = peer.copy.comparison();
            all.add(new PeerStatus(
                    peer.id,
                    peer.hello,
                    peer.heartbeat,
                    peer.incompatible,
                    peer.clockIsOff,
                    peer.copy.isComplete(),
                    copied.count(),
                    copied.sequence(),
                    peer.lane.cursor(),
                    compared.digestsEqual(),
                    TimeUnit.NANOSECONDS.toMillis(compared.behindNanos()),
                    compared.nanosSinceDiffered() == null
                            ? null
                            : Long.valueOf(TimeUnit.NANOSECONDS.toMillis(compared.nanosSinceDiffered())),
                    peer.clockOffset.millis()));
        }
        return all;
    }

    /** How much of what a member owns is here; null when it is no member. */
    public OwnLog.@Nullable Summary copied(NodeId owner) {
        Peer peer = peers.get(owner);
        return peer == null ? null : peer.copy.summary();
    }

    /** How much this node owns. */
    public OwnLog.Summary summary() {
        return own.summary();
    }

    /** How often a copy had another digest than its owner at the same number. */
    public long diverged() {
        return diverged.sum();
    }

    /** How many publications and checks are kept of nodes that have departed. */
    public long orphans() {
        return departed.values().stream()
                .mapToLong(copy -> copy.summary().count())
                .sum();
    }

    /** How many snapshots were begun. */
    public long snapshots() {
        return endedSnapshots.sum()
                + peers.values().stream()
                        .mapToLong(peer -> peer.lane.snapshots())
                        .sum();
    }

    /** How many messages were dropped because they could not be read, or are of a kind that this build does not know. */
    public long unreadable() {
        return malformed.sum() + codec.unknownMessages();
    }

    /** How many messages were dropped because no view has named their sender. */
    public long late() {
        return late.sum();
    }

    /** The copies by their owners, those of departed nodes among them. */
    Map<NodeId, PeerCopy> copies() {
        Map<NodeId, PeerCopy> all = new HashMap<>(departed);
        peers.forEach((id, peer) -> all.put(id, peer.copy));
        return all;
    }
}

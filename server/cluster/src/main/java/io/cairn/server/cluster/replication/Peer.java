package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.FragmentAssembly;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class Peer {

    private static final Logger log = LoggerFactory.getLogger(Peer.class);

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
    private volatile long heardNanos;

    Peer(NodeId id, PeerLane lane, PeerCopy copy, long nowNanos) {
        this.id = id;
        this.lane = lane;
        this.copy = copy;
        this.follower = lane::changed;
        this.heardNanos = nowNanos;
    }

    NodeId id() {
        return id;
    }

    PeerLane lane() {
        return lane;
    }

    PeerCopy copy() {
        return copy;
    }

    Runnable follower() {
        return follower;
    }

    /** Sends the queue of the lane. Called before {@link #stop}, by the same thread or with the same lock. */
    void sendBy(LaneDriver driver) {
        LaneDriver.Driven started = driver.drive(id, lane);
        driven = started;
        lane.wakeWith(started::wake);
    }

    void stop() {
        if (driven != null) {
            driven.stop();
        }
    }

    synchronized void takeEarly(byte[] message) {
        early.add(message);
    }

    synchronized byte @Nullable [] nextEarly() {
        return early.poll();
    }

    synchronized @Nullable ClusterMessage decoded(byte[] encoded, ClusterCodec codec) {
        ClusterMessage message = codec.decode(encoded);
        if (message instanceof ClusterMessage.Fragment fragment) {
            byte[] whole = fragments.take(fragment);
            return whole == null ? null : codec.decode(whole);
        }
        return message;
    }

    boolean offer(@Nullable ClusterMessage message) {
        return message != null && lane.offer(message);
    }

    long stream() {
        return stream;
    }

    void open(long number) {
        stream = number;
        positioned = false;
        lane.open(number);
    }

    void position(ClusterMessage.StreamPosition position) {
        if (lane.position(position)) {
            positioned = true;
        }
    }

    boolean isPositioned() {
        return positioned;
    }

    /** Notes its hello; false without a common protocol. */
    boolean hello(ClusterMessage.Hello said) {
        boolean isCommon = said.oldestProtocol() <= ClusterMessage.NEWEST_PROTOCOL
                && said.newestProtocol() >= ClusterMessage.OLDEST_PROTOCOL;
        if (!isCommon && !incompatible) {
            log.warn(
                    "{} (version {}) speaks protocols {}-{} of the group, this node {}-{}; nothing is exchanged with it"
                            + " until one of them is upgraded",
                    id,
                    said.version(),
                    said.oldestProtocol(),
                    said.newestProtocol(),
                    ClusterMessage.OLDEST_PROTOCOL,
                    ClusterMessage.NEWEST_PROTOCOL);
        }
        incompatible = !isCommon;
        hello = said;
        return isCommon;
    }

    void heartbeat(ClusterMessage.Heartbeat said, ClusterClock clock, long nowNanos) {
        boolean followed = clock.follow(said.clock());
        if (!followed && !clockIsOff) {
            log.warn(
                    "The clock of {} is more than {} s ahead and is not followed; set the clocks of the nodes",
                    id,
                    ClusterClock.MAX_AHEAD.toSeconds());
        }
        clockIsOff = !followed;
        if (said.time() > 0) {
            clockOffset.note(said.time(), clock.machineMillis());
        }
        heartbeat = said;
        heardNanos = nowNanos;
    }

    ClusterMessage.@Nullable Heartbeat lastHeartbeat() {
        return heartbeat;
    }

    NodeState state() {
        return PeerStatus.reportedBy(hello, heartbeat);
    }

    long silentNanos(long nowNanos) {
        return nowNanos - heardNanos;
    }

    PeerStatus status() {
        OwnLog.Summary copied = copy.summary();
        CopyComparison compared = copy.comparison();
        Long differed = compared.nanosSinceDiffered();
        return new PeerStatus(
                id,
                hello,
                heartbeat,
                incompatible,
                clockIsOff,
                copy.isComplete(),
                copied.count(),
                copied.sequence(),
                lane.cursor(),
                compared.digestsEqual(),
                TimeUnit.NANOSECONDS.toMillis(compared.behindNanos()),
                differed == null ? null : Long.valueOf(TimeUnit.NANOSECONDS.toMillis(differed)),
                clockOffset.millis());
    }
}

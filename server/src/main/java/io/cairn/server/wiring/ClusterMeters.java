package io.cairn.server.wiring;

import io.cairn.server.change.RevisionFollower;
import io.cairn.server.cluster.ClusterNode;
import io.cairn.server.cluster.GroupReads;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.replication.RegistryReplication;
import io.cairn.server.cluster.visibility.ClusterBarrier;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeStatus.Presence;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Measures the cluster as this node sees it. The meters of another node exist while it is a member. */
final class ClusterMeters implements ClusterNode.MembersListener {

    private static final double MILLIS_A_SECOND = 1_000;

    private final MeterRegistry meters;
    private final ClusterNode node;
    private final RevisionFollower revisions;

    private final Map<String, Peer> peers = new HashMap<>();

    private static final class Peer {

        private volatile PeerStatus status;
        private List<Meter> meters = List.of();

        Peer(PeerStatus status) {
            this.status = status;
        }
    }

    ClusterMeters(MeterRegistry meters, ClusterNode node, RevisionFollower revisions) {
        this.meters = meters;
        this.node = node;
        this.revisions = revisions;
        Stream.concat(
                        Stream.of(NodeState.values()).map(NodeState::name),
                        Stream.of(Presence.values())
                                .filter(presence -> presence != Presence.PRESENT)
                                .map(Presence::name))
                .forEach(state -> Gauge.builder(MeterNames.CLUSTER_MEMBERS, node, all -> count(all, state))
                        .tag("state", state.toLowerCase(Locale.ROOT))
                        .register(meters));
        RegistryReplication replication = node.replication();
        meters.gauge(MeterNames.CLUSTER_ORPHANS, replication, RegistryReplication::orphans);
        FunctionCounter.builder(MeterNames.CLUSTER_DIVERGED, replication, RegistryReplication::diverged)
                .register(meters);
        FunctionCounter.builder(MeterNames.CLUSTER_SNAPSHOTS, replication, RegistryReplication::snapshots)
                .register(meters);
        meters.gauge(MeterNames.CLUSTER_REVISION_BEHIND, this, ClusterMeters::revisionsBehind);
    }

    static ClusterBarrier measured(ClusterBarrier barrier, MeterRegistry meters) {
        Timer shown = barrierTimer("shown", meters);
        Timer timeout = barrierTimer("timeout", meters);
        barrier.measuredBy((nanos, isShown) -> (isShown ? shown : timeout).record(nanos, TimeUnit.NANOSECONDS));
        return barrier;
    }

    private static Timer barrierTimer(String outcome, MeterRegistry meters) {
        return Timer.builder(MeterNames.CLUSTER_FENCE).tag("outcome", outcome).register(meters);
    }

    void measure(GroupReads reads) {
        asks("answered", reads, GroupReads::answered);
        asks("silent", reads, GroupReads::unanswered);
    }

    private void asks(String outcome, GroupReads reads, ToDoubleFunction<GroupReads> count) {
        FunctionCounter.builder(MeterNames.CLUSTER_ASKS, reads, count)
                .tag("outcome", outcome)
                .register(meters);
    }

    /** The nodes in that state; an unreachable node counts only as such. */
    private static double count(ClusterNode node, String state) {
        return node.all().stream()
                .map(ClusterMeters::state)
                .filter(state::equals)
                .count();
    }

    private static String state(NodeStatus node) {
        return node.presence() == Presence.PRESENT
                ? node.state().name()
                : node.presence().name();
    }

    private double revisionsBehind() {
        long newest = 0;
        for (PeerStatus peer : node.replication().peers()) {
            ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
            if (heartbeat != null && heartbeat.state() == NodeState.READY) {
                newest = Math.max(newest, heartbeat.revision());
            }
        }
        return Math.max(0, newest - Math.max(0, revisions.appliedRevision()));
    }

    @Override
    public void members(Map<NodeId, NodeState> states, Collection<PeerStatus> members) {
        Map<String, Peer> departed = new HashMap<>(peers);
        for (PeerStatus status : members) {
            String address = status.id().address();
            departed.remove(address);
            Peer known = peers.get(address);
            if (known == null) {
                Peer peer = new Peer(status);
                peers.put(address, peer);
                peer.meters = register(address, peer);
            } else {
                known.status = status;
            }
        }
        departed.forEach((address, peer) -> {
            peers.remove(address);
            peer.meters.forEach(meters::remove);
        });
    }

    private List<Meter> register(String address, Peer peer) {
        return List.of(
                gauge(MeterNames.CLUSTER_PEER_BEHIND, address, peer, PeerStatus::missing),
                gauge(
                        MeterNames.CLUSTER_PEER_BEHIND_SECONDS,
                        address,
                        peer,
                        status -> status.behindMillis() / MILLIS_A_SECOND),
                gauge(
                        MeterNames.CLUSTER_PEER_UNSENT,
                        address,
                        peer,
                        status -> Math.max(0, node.replication().summary().sequence() - status.sentSequence())),
                gauge(MeterNames.CLUSTER_PEER_ENTRIES, address, peer, PeerStatus::copyCount),
                gauge(MeterNames.CLUSTER_PEER_CLOCK, address, peer, status -> {
                    Long millis = status.clockOffsetMillis();
                    return millis == null ? Double.NaN : millis / MILLIS_A_SECOND;
                }));
    }

    private Gauge gauge(String name, String address, Peer peer, ToDoubleFunction<PeerStatus> value) {
        return Gauge.builder(name, peer, each -> value.applyAsDouble(each.status))
                .tag("peer", address)
                .register(meters);
    }
}

package io.cairn.server.cluster;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The states of the members by their heartbeats. Written by one thread, read by any. */
final class MemberStates {

    /** A leaving member's heartbeats have its state after one second at most, and arrive in order. */
    private static final Duration LEAVING = Duration.ofSeconds(3);

    private final NodeId self;
    private final LongSupplier nanoTime;
    private final Clock clock;
    private final Map<NodeId, Long> leaving = new ConcurrentHashMap<>();

    private volatile Map<NodeId, Followed> followed = Map.of();
    private volatile List<NodeId> inService = List.of();

    /**
     * @param since epoch milliseconds of the state's begin
     * @param heartbeat the last one
     * @param heardNanos its arrival; its own time may be of a wrong clock
     */
    record Followed(
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

    MemberStates(NodeId self, LongSupplier nanoTime, Clock clock) {
        this.self = self;
        this.nanoTime = nanoTime;
        this.clock = clock;
    }

    /**
     * Notes an announced drain until a heartbeat has the state, or for a few heartbeats: an earlier one may arrive later, and a
     * drain that ends at once appears in no heartbeat.
     */
    void leaves(NodeId member) {
        leaving.put(member, nanoTime.getAsLong());
    }

    boolean isLeaving(NodeId member) {
        Followed known = followed.get(member);
        return leaving.containsKey(member) || known != null && known.state() == NodeState.DRAINING;
    }

    void view(GroupView next) {
        leaving.keySet().retainAll(next.members());
    }

    NodeState state(PeerStatus peer) {
        return leaving.containsKey(peer.id()) ? NodeState.DRAINING : peer.state();
    }

    @Nullable
    Followed followed(NodeId member) {
        return followed.get(member);
    }

    Map<NodeId, Long> heard() {
        Map<NodeId, Long> heard = new HashMap<>();
        followed.forEach((member, known) -> {
            if (known.heartbeat() != null) {
                heard.put(member, known.heardNanos());
            }
        });
        return heard;
    }

    List<NodeId> inService() {
        return inService;
    }

    /**
     * Updates the states.
     *
     * @param shown revision of this node
     * @return the states of the members, in the order of the view
     */
    Map<NodeId, NodeState> refresh(List<NodeId> view, NodeState own, long shown, Collection<PeerStatus> peers) {
        Map<NodeId, Followed> before = followed;
        Map<NodeId, Followed> next = new HashMap<>();
        Map<NodeId, NodeState> states = new HashMap<>();
        long now = nanoTime.getAsLong();
        states.put(self, own);
        for (PeerStatus peer : peers) {
            Long leaves = leaving.get(peer.id());
            if (leaves != null && (peer.state() == NodeState.DRAINING || now - leaves >= LEAVING.toNanos())) {
                leaving.remove(peer.id());
            }
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
        for (NodeId member : view) {
            members.put(member, states.getOrDefault(member, NodeState.JOINING));
        }
        inService = members.keySet().stream()
                .filter(member -> members.get(member) == NodeState.READY)
                .toList();
        return Collections.unmodifiableMap(members);
    }
}

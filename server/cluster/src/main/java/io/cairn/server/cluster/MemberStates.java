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

/** The states of the members as this node has followed them by their heartbeats. Written by one thread; read by any. */
final class MemberStates {

    /** Heartbeats of a member that leaves say so after at most one second, and arrive in their order. */
    private static final Duration LEAVING = Duration.ofSeconds(3);

    private final NodeId self;
    private final LongSupplier nanoTime;
    private final Clock clock;
    /** The members that have said that they drain, with the time at which that was heard. */
    private final Map<NodeId, Long> leaving = new ConcurrentHashMap<>();

    private volatile Map<NodeId, Followed> followed = Map.of();
    private volatile List<NodeId> inService = List.of();

    /**
     * A member as this node has followed it.
     *
     * @param since epoch milliseconds from which it is in this state
     * @param heartbeat the last one; null until one has come
     * @param heardNanos the time at which the last heartbeat was seen here. Its own time may be that of a clock that is set wrong
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
     * The member has said that it drains. An earlier heartbeat may arrive later, so that counts until a heartbeat says so, or for the time
     * of a few heartbeats: a drain that ends at once is in none.
     */
    void leaves(NodeId member) {
        leaving.put(member, nanoTime.getAsLong());
    }

    /** The group has another view; what is known of others is forgotten. */
    void view(GroupView next) {
        leaving.keySet().retainAll(next.members());
    }

    /** The state of another member. */
    NodeState state(PeerStatus peer) {
        return leaving.containsKey(peer.id()) ? NodeState.DRAINING : peer.state();
    }

    /** Another member as it was followed; null before the first time. */
    @Nullable
    Followed followed(NodeId member) {
        return followed.get(member);
    }

    /** The time of the last heartbeat of each other member that has sent one. */
    Map<NodeId, Long> heard() {
        Map<NodeId, Long> heard = new HashMap<>();
        followed.forEach((member, known) -> {
            if (known.heartbeat() != null) {
                heard.put(member, known.heardNanos());
            }
        });
        return heard;
    }

    /** The members in service, in the order of the view. */
    List<NodeId> inService() {
        return inService;
    }

    /**
     * Brings the states up to date.
     *
     * @param own state of this node
     * @param shown revision of this node
     * @return the states of the members of the view, in its order
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

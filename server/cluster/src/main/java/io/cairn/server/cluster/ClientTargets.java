package io.cairn.server.cluster;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The nodes to which this node can send its gRPC clients, with the number of their clients. A node that reaches neither the others
 * nor the database sends them to the nodes that were in service when it last saw them.
 */
final class ClientTargets {

    private final NodeId self;
    private final MemberStates members;
    private final RowWitness witness;

    /** Nodes that were in service when they left the view, until the database shows that they are not. */
    private final Map<NodeId, Long> lastSeen = new ConcurrentHashMap<>();

    ClientTargets(NodeId self, MemberStates members, RowWitness witness) {
        this.self = self;
        this.members = members;
        this.witness = witness;
    }

    void view(GroupView next) {
        lastSeen.putAll(inView());
        Set<String> present = new HashSet<>();
        next.members().forEach(member -> present.add(member.address()));
        lastSeen.keySet().removeIf(node -> present.contains(node.address()));
    }

    void rowsRead() {
        if (lastSeen.isEmpty()) {
            return;
        }
        Set<NodeId> inService = new HashSet<>();
        for (NodeTable.Heartbeat each : witness.rows()) {
            if (each.age().compareTo(NodeTable.BEATING_WITHIN) < 0 && RowWitness.state(each.row()) == NodeState.READY) {
                inService.add(each.row().node());
            }
        }
        lastSeen.keySet().retainAll(inService);
    }

    /** The other members of the view that are in service, in its order. */
    Map<NodeId, Long> inView() {
        Map<NodeId, Long> others = new LinkedHashMap<>();
        for (NodeId member : members.inService()) {
            if (!member.equals(self)) {
                MemberStates.Followed known = members.followed(member);
                ClusterMessage.Heartbeat heartbeat = known == null ? null : known.heartbeat();
                others.put(member, heartbeat == null ? 0 : heartbeat.connections());
            }
        }
        return others;
    }

    /**
     * @param view the present members
     * @param own the state of this node; if isolated, the other members of its view are, too, or soon will be
     */
    Map<NodeId, Long> all(Collection<NodeId> view, NodeState own) {
        Map<NodeId, Long> others = own == NodeState.ISOLATED ? new LinkedHashMap<>(lastSeen) : inView();
        for (NodeTable.Row row : witness.unseen(view)) {
            if (RowWitness.state(row) == NodeState.READY) {
                others.put(row.node(), (long) row.connections());
            }
        }
        return others;
    }
}

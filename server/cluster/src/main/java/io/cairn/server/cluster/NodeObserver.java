package io.cairn.server.cluster;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.replication.RegistryReplication;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeState;
import java.util.HashSet;
import java.util.Set;

/** Gathers what the decision on the state of this node needs to know. Thread-safe. */
final class NodeObserver {

    private final LocalServer server;
    private final RegistryReplication replication;
    private final RowWitness witness;
    private final NamedMembers named;

    NodeObserver(LocalServer server, RegistryReplication replication, RowWitness witness, NamedMembers named) {
        this.server = server;
        this.replication = replication;
        this.witness = witness;
        this.named = named;
    }

    NodeStates.Observation now(GroupView view) {
        long newest = Long.MIN_VALUE;
        for (PeerStatus peer : replication.peers()) {
            ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
            if (heartbeat != null && heartbeat.state() == NodeState.READY) {
                newest = Math.max(newest, heartbeat.revision());
            }
        }
        Set<String> known = new HashSet<>();
        for (MemberAddress member : named.all()) {
            known.add(named.nameInView(member, view.members()).orElse(member.toString()));
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
}

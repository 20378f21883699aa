package io.cairn.server.cluster;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.replication.RegistryReplication;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeState;
import java.util.HashSet;
import java.util.Set;

final class NodeObserver {

    private final LocalServer server;
    private final RegistryReplication replication;
    private final RowWitness witness;
    private final NamedMembers named;
    private final FollowingCheck following;

    NodeObserver(
            LocalServer server,
            RegistryReplication replication,
            RowWitness witness,
            NamedMembers named,
            FollowingCheck following) {
        this.server = server;
        this.replication = replication;
        this.witness = witness;
        this.named = named;
        this.following = following;
    }

    NodeStates.Observation now(GroupView view) {
        long newest = Long.MIN_VALUE;
        for (PeerStatus peer : replication.peers()) {
            ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
            if (heartbeat != null && heartbeat.state() == NodeState.READY && !FollowingCheck.fails(heartbeat)) {
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
                witness.unmet(view.members()),
                named.otherKeys(),
                server.isRevisionKnown(),
                server.revision(),
                newest,
                server.following().isWaiting(),
                following.failsAlone(replication.peers()));
    }
}

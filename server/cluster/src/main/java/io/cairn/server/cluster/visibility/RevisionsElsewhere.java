package io.cairn.server.cluster.visibility;

import io.cairn.server.change.CatchUp;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeState;
import java.util.Collection;

/** Provides reads with the revisions that other nodes show, by heartbeats, and have committed, by notices. */
public final class RevisionsElsewhere {

    private final CatchUp catchUp;

    public RevisionsElsewhere(CatchUp catchUp) {
        this.catchUp = catchUp;
    }

    /** Notes the revisions in the members' last heartbeats, at each view and every second. */
    public void members(Collection<PeerStatus> peers) {
        long newest = RevisionFollower.NONE;
        for (PeerStatus peer : peers) {
            ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
            // A node out of service may show a lost state of the database.
            if (heartbeat != null && heartbeat.state() == NodeState.READY) {
                newest = Math.max(newest, heartbeat.revision());
            }
        }
        catchUp.shownElsewhere(newest);
    }

    public void noticed(ClusterMessage.RevisionNotice notice) {
        catchUp.committedElsewhere(notice.revision());
    }
}

package io.cairn.server.cluster.visibility;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Notifies other nodes of commits here, and answers their notices when this node shows their commits. Does not block. */
public final class RevisionExchange {

    private final ClusterBarrier barrier;
    private final RevisionFollower follower;
    private final BiConsumer<NodeId, ClusterMessage> sender;

    @GuardedBy("this")
    private final Map<NodeId, Wanted> wanted = new HashMap<>();

    /** The revisions that one node waits for. Guarded by the lock of the exchange. */
    private static final class Wanted {

        private long noticed;
        private long answered;
    }

    /** @param sender sends to a member before changes of the registry, and drops unsendable messages */
    public RevisionExchange(
            ClusterBarrier barrier, RevisionFollower follower, BiConsumer<NodeId, ClusterMessage> sender) {
        this.barrier = barrier;
        this.follower = follower;
        this.sender = sender;
    }

    public void start() {
        follower.follow(new RevisionFollower.Listener() {
            @Override
            public void applied(long revision) {
                answer(revision);
            }

            @Override
            public void wentBack(long revision) {
                forget();
                answer(revision);
            }
        });
        barrier.noticeBy((peer, revision) -> sender.accept(peer, new ClusterMessage.RevisionNotice(revision)));
    }

    /** Applies the members, at each view and every second. */
    public void members(Collection<PeerStatus> peers) {
        List<FencePeer> inService = new ArrayList<>();
        List<NodeId> all = new ArrayList<>();
        for (PeerStatus peer : peers) {
            all.add(peer.id());
            if (peer.state() == NodeState.READY && !peer.incompatible()) {
                ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
                inService.add(
                        heartbeat == null
                                ? new FencePeer(peer.id(), 0, false)
                                : new FencePeer(
                                        peer.id(),
                                        heartbeat.revision(),
                                        follower.hasSeen(heartbeat.followed().lastCommit())));
            }
        }
        synchronized (this) {
            wanted.keySet().retainAll(all);
        }
        barrier.peers(inService);
    }

    /** Handles a message about revisions on the receiving thread; false for other messages. */
    public boolean message(NodeId from, ClusterMessage message) {
        if (message instanceof ClusterMessage.RevisionNotice notice) {
            noticed(from, notice.revision());
            return true;
        }
        if (message instanceof ClusterMessage.RevisionApplied shown) {
            barrier.applied(from, shown.revision());
            return true;
        }
        return false;
    }

    private void noticed(NodeId from, long revision) {
        synchronized (this) {
            Wanted of = wanted.computeIfAbsent(from, absent -> new Wanted());
            of.noticed = Math.max(of.noticed, revision);
        }
        follower.wake(revision);
        answer(follower.appliedRevision());
    }

    private void forget() {
        synchronized (this) {
            wanted.clear();
        }
        barrier.wentBack();
    }

    /**
     * Answers each node that waits for more than its last answer, also below the noticed revision: with many commits this node may
     * never show the newest.
     */
    private void answer(long revision) {
        List<NodeId> receivers = new ArrayList<>();
        synchronized (this) {
            wanted.forEach((id, of) -> {
                if (of.noticed > of.answered && revision > of.answered) {
                    of.answered = revision;
                    receivers.add(id);
                }
            });
        }
        receivers.forEach(id -> sender.accept(id, new ClusterMessage.RevisionApplied(revision)));
    }
}

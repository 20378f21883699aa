package io.cairn.server.cluster;

import io.cairn.server.change.Following;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Compares, by heartbeats, how this node and the others follow the changes in the database. */
final class FollowingCheck {

    /** A failure that is shorter may have ended when its heartbeat arrives. */
    private static final Duration BRIEF = Duration.ofSeconds(1);

    private final Following own;
    private final MemberStates members;
    private final LongSupplier nanoTime;

    FollowingCheck(Following own, MemberStates members, LongSupplier nanoTime) {
        this.own = own;
        this.members = members;
        this.nanoTime = nanoTime;
    }

    /**
     * Why this node must leave the service: it has failed for some seconds to follow, and another node in service follows; else
     * null.
     *
     * <p>The other node must have compared everything since this failure began, and have followed for some seconds. Nodes meet a
     * shared cause, such as a missing table, at different times, and all stay in service.
     */
    @Nullable
    String failsAlone(Collection<PeerStatus> peers) {
        Following.State state = own.state();
        if (!state.needsAttention()) {
            return null;
        }
        for (PeerStatus peer : peers) {
            if (members.state(peer) == NodeState.READY && hasFollowedSince(peer, state.failing())) {
                return "the node has not followed the changes in the database for "
                        + state.failing().toSeconds() + " s, and " + peer.id().address() + " does: " + state.cause();
            }
        }
        return null;
    }

    private boolean hasFollowedSince(PeerStatus peer, Duration failing) {
        MemberStates.Followed known = members.followed(peer.id());
        ClusterMessage.Heartbeat heartbeat = known == null ? null : known.heartbeat();
        if (known == null || heartbeat == null) {
            return false;
        }
        ClusterMessage.Heartbeat.Followed followed = heartbeat.followed();
        long age = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - known.heardNanos());
        return age < Following.PATIENCE.toMillis()
                && followed.following() >= Following.PATIENCE.toMillis()
                && followed.sinceCompared() != ClusterMessage.Heartbeat.Followed.NEVER
                && followed.sinceCompared() + age < failing.toMillis();
    }

    /** Whether the node of the heartbeat shows its own commits only. */
    static boolean fails(ClusterMessage.Heartbeat heartbeat) {
        return heartbeat.followed().failing() > 0;
    }

    /** Starts a full comparison when another node fails to follow, so that both know whether they share the cause. Never blocks. */
    void compareIfAnotherFails(Collection<PeerStatus> peers) {
        Following.State state = own.state();
        Duration sinceCompared = state.sinceCompared();
        if (sinceCompared == null || !state.failing().isZero()) {
            return;
        }
        for (PeerStatus peer : peers) {
            ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
            long failing = heartbeat == null ? 0 : heartbeat.followed().failing();
            if (failing >= BRIEF.toMillis() && sinceCompared.toMillis() > failing) {
                own.askComparison();
                return;
            }
        }
    }
}

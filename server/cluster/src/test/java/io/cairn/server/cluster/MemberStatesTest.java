package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemberStatesTest {

    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);

    private long now;
    private final MemberStates states = new MemberStates(A, () -> now, Clock.systemUTC());

    private Map<NodeId, NodeState> heartbeat(NodeState state) {
        ClusterMessage.Heartbeat heartbeat = new ClusterMessage.Heartbeat(1, 1, 0, 0, state, 1, 1, 7, 0);
        PeerStatus peer = new PeerStatus(B, null, heartbeat, false, false, true, 0, 1, 1);
        return states.refresh(List.of(A, B), NodeState.READY, 1, List.of(peer));
    }

    @Test
    void aMemberThatLeavesIsDrainingAlthoughAnEarlierHeartbeatArrivesLater() {
        assertThat(heartbeat(NodeState.READY)).containsEntry(B, NodeState.READY);

        states.leaves(B);

        assertThat(heartbeat(NodeState.READY)).containsEntry(B, NodeState.DRAINING);
        assertThat(states.inService()).containsExactly(A);
    }

    @Test
    void aMemberIsInServiceAgainWhenNoHeartbeatReportsItsDrain() {
        heartbeat(NodeState.READY);
        states.leaves(B);
        now += Duration.ofSeconds(2).toNanos();
        assertThat(heartbeat(NodeState.READY)).containsEntry(B, NodeState.DRAINING);

        now += Duration.ofSeconds(1).toNanos();

        assertThat(heartbeat(NodeState.READY)).containsEntry(B, NodeState.READY);
        assertThat(states.inService()).containsExactly(A, B);
    }

    @Test
    void aMemberWhoseDrainHasEndedIsInServiceAgain() {
        states.leaves(B);
        assertThat(heartbeat(NodeState.DRAINING)).containsEntry(B, NodeState.DRAINING);

        assertThat(heartbeat(NodeState.JOINING)).containsEntry(B, NodeState.JOINING);
        assertThat(heartbeat(NodeState.READY)).containsEntry(B, NodeState.READY);
        assertThat(states.inService()).containsExactly(A, B);
    }
}

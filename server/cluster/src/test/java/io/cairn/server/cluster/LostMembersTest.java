package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.testing.LogWatch;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LostMembersTest {

    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);

    private long now;
    private final MemberStates states = new MemberStates(A, () -> now, Clock.systemUTC());
    private final LostMembers lost = new LostMembers(A, states, () -> now);
    private final LogWatch log = new LogWatch();

    @BeforeEach
    void meet() {
        lost.view(new GroupView(1, List.of(A, B), false));
        heartbeat(NodeState.READY);
    }

    @AfterEach
    void close() {
        log.close();
    }

    private void heartbeat(NodeState state) {
        ClusterMessage.Heartbeat heartbeat = new ClusterMessage.Heartbeat(1, 1, 0, 0, state, 1, 1, 7, 0);
        states.refresh(
                List.of(A, B),
                NodeState.READY,
                1,
                List.of(new PeerStatus(B, null, heartbeat, false, false, true, 0, 1, 1)));
    }

    private void without(NodeId... members) {
        lost.view(new GroupView(2, List.of(members), false));
    }

    @Test
    void warnsOfAMemberWhoseConnectionHasEnded() {
        now += Duration.ofMillis(700).toNanos();

        without(A);

        assertThat(log.warningsOf(LostMembers.class))
                .singleElement()
                .asString()
                .contains(
                        "Lost 10.0.0.2:8848 (READY)", "the connection to it has ended 700 ms after its last heartbeat");
    }

    @Test
    void warnsOfAMemberThatWasSilent() {
        now += Duration.ofMillis(7_400).toNanos();

        without(A);

        assertThat(log.warningsOf(LostMembers.class))
                .singleElement()
                .asString()
                .contains("10.0.0.2:8848", "silent for 7400 ms");
    }

    @Test
    void aMemberThatHasSaidThatItStopsIsNoWarning() {
        states.leaves(B);

        without(A);

        assertThat(log.warningsOf(LostMembers.class)).isEmpty();
        assertThat(log.linesOf(LostMembers.class)).containsExactly("10.0.0.2:8848 has stopped and left the group");
    }

    @Test
    void aMemberThatDrainsByItsHeartbeatIsNoWarning() {
        heartbeat(NodeState.DRAINING);

        without(A);

        assertThat(log.warningsOf(LostMembers.class)).isEmpty();
    }

    @Test
    void aMemberThatWasStartedAgainIsNoWarning() {
        without(A, new NodeId("10.0.0.2:8848", 2));

        assertThat(log.warningsOf(LostMembers.class)).isEmpty();
    }

    @Test
    void namesAMemberOnce() {
        without(A);
        without(A);

        assertThat(log.warningsOf(LostMembers.class)).hasSize(1);
    }
}

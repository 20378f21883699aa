package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.change.Following;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage.Heartbeat;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FollowingCheckTest {

    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);

    private long nanos = 1;
    private final Following own = new Following(() -> nanos);
    private final MemberStates members = new MemberStates(A, () -> nanos, Clock.systemUTC());
    private final FollowingCheck check = new FollowingCheck(own, members, () -> nanos);
    private List<PeerStatus> peers = List.of();

    private void pass(long millis) {
        nanos += Duration.ofMillis(millis).toNanos();
    }

    private void ownFailsFor(long millis) {
        own.attempt();
        own.failed("the table config_info_gray is missing");
        pass(millis);
    }

    private void heartbeat(NodeState state, Heartbeat.Followed followed) {
        Heartbeat heartbeat = new Heartbeat(1, 1, 0, 0, state, 1, 1, 7, 0, 0, followed);
        peers = List.of(new PeerStatus(B, null, heartbeat, false, false, true, 0, 1, 1));
        members.refresh(List.of(A, B), NodeState.READY, 1, peers);
    }

    private static Heartbeat.Followed follows(long following, long sinceCompared) {
        return new Heartbeat.Followed(0, following, sinceCompared, 0);
    }

    @Test
    void failsAloneWhenAnotherNodeInServiceHasComparedEverythingSince() {
        ownFailsFor(3_001);
        heartbeat(NodeState.READY, follows(60_000, 3_000));

        assertThat(check.failsAlone(peers))
                .isEqualTo("the node has not followed the changes in the database for 3 s, and 10.0.0.2:8848 does:"
                        + " the table config_info_gray is missing");
    }

    @Test
    void doesNotFailAloneWithinThePatience() {
        ownFailsFor(3_000);
        heartbeat(NodeState.READY, follows(60_000, 0));

        assertThat(check.failsAlone(peers)).isNull();
    }

    @Test
    void doesNotFailAloneBeforeTheOtherHasComparedEverything() {
        ownFailsFor(20_000);
        heartbeat(NodeState.READY, follows(60_000, 25_000));

        assertThat(check.failsAlone(peers))
                .as("the other may meet the cause too")
                .isNull();
    }

    @Test
    void doesNotFailAloneWhenTheOtherFailsToo() {
        ownFailsFor(20_000);
        heartbeat(NodeState.READY, new Heartbeat.Followed(1_000, 0, 5_000, 0));

        assertThat(check.failsAlone(peers)).isNull();
    }

    @Test
    void doesNotFailAloneWhenTheOtherHasJustRecovered() {
        ownFailsFor(20_000);
        heartbeat(NodeState.READY, follows(2_999, 1_000));

        assertThat(check.failsAlone(peers)).as("both recover from one cause").isNull();
    }

    @Test
    void doesNotFailAloneWhenTheOtherIsNotInService() {
        ownFailsFor(20_000);
        heartbeat(NodeState.JOINING, follows(60_000, 1_000));

        assertThat(check.failsAlone(peers)).isNull();
    }

    @Test
    void doesNotFailAloneWhenTheOtherIsSilentOrOfAnEarlierRelease() {
        ownFailsFor(20_000);
        heartbeat(NodeState.READY, Heartbeat.Followed.UNKNOWN);
        assertThat(check.failsAlone(peers)).isNull();

        heartbeat(NodeState.READY, follows(60_000, 1_000));
        pass(3_000);
        assertThat(check.failsAlone(peers)).isNull();
    }

    @Test
    void comparesOnceWhenAnotherNodeFails() {
        own.attempt();
        own.followed(true);
        pass(10_000);
        heartbeat(NodeState.READY, new Heartbeat.Followed(999, 0, 20_000, 0));
        check.compareIfAnotherFails(peers);
        assertThat(own.isComparisonAsked()).isFalse();

        heartbeat(NodeState.READY, new Heartbeat.Followed(1_000, 0, 20_000, 0));
        check.compareIfAnotherFails(peers);
        assertThat(own.isComparisonAsked()).isTrue();

        own.attempt();
        own.followed(true);
        pass(1_000);
        heartbeat(NodeState.READY, new Heartbeat.Followed(2_000, 0, 21_000, 0));
        check.compareIfAnotherFails(peers);
        assertThat(own.isComparisonAsked()).isFalse();
    }
}

package io.cairn.server.cluster.visibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.ClusterMessage.RevisionApplied;
import io.cairn.server.cluster.wire.ClusterMessage.RevisionNotice;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three nodes whose messages the test delivers. */
class RevisionExchangeTest {

    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.0.0.3:8848", 1);

    private final FakeTimer timer = new FakeTimer();
    private final Map<NodeId, Node> nodes = new HashMap<>();
    private final Deque<Sent> network = new ArrayDeque<>();
    private final List<Long> answered = new ArrayList<>();

    private record Sent(NodeId from, NodeId to, ClusterMessage message) {}

    private record Node(ClusterBarrier barrier, FakeFollower follower, RevisionExchange exchange) {}

    @BeforeEach
    void start() {
        for (NodeId id : List.of(A, B, C)) {
            ClusterBarrier barrier = new ClusterBarrier(
                    new ClusterBarrier.Settings(true, Duration.ofMillis(200)), Runnable::run, timer, () -> {}, timer);
            FakeFollower follower = new FakeFollower();
            RevisionExchange exchange =
                    new RevisionExchange(barrier, follower, (to, message) -> network.add(new Sent(id, to, message)));
            exchange.start();
            nodes.put(id, new Node(barrier, follower, exchange));
        }
        beat(NodeState.READY);
    }

    private void beat(NodeState stateOfC) {
        nodes.forEach((id, node) -> node.exchange()
                .members(List.of(A, B, C).stream()
                        .filter(other -> !other.equals(id))
                        .map(other -> status(other, other.equals(C) ? stateOfC : NodeState.READY))
                        .toList()));
    }

    private PeerStatus status(NodeId id, @Nullable NodeState state) {
        ClusterMessage.Heartbeat heartbeat = state == null
                ? null
                : new ClusterMessage.Heartbeat(
                        1,
                        0,
                        0,
                        0,
                        state,
                        0,
                        nodes.get(id).follower().appliedRevision(),
                        0,
                        0,
                        0,
                        new ClusterMessage.Heartbeat.Followed(
                                0, 0, 0, nodes.get(id).follower().lastCommit()));
        return new PeerStatus(id, null, heartbeat, false, false, true, 0, 0, 0);
    }

    private void deliver() {
        for (Sent sent = network.poll(); sent != null; sent = network.poll()) {
            assertThat(nodes.get(sent.to()).exchange().message(sent.from(), sent.message()))
                    .isTrue();
        }
    }

    private void publish(NodeId at, long revision) {
        nodes.get(at).follower().apply(revision);
        nodes.get(at).barrier().committed(revision, () -> answered.add(revision));
    }

    @Test
    void publishIsAnsweredWhenTheOthersHaveFollowed() {
        publish(A, 5);
        deliver();
        assertThat(nodes.get(B).follower().woken).containsExactly(5L);
        assertThat(nodes.get(C).follower().woken).containsExactly(5L);
        assertThat(answered).isEmpty();
        nodes.get(B).follower().apply(5);
        deliver();
        assertThat(answered).isEmpty();
        nodes.get(C).follower().apply(5);
        deliver();

        assertThat(answered).containsExactly(5L);
        assertThat(nodes.get(A).barrier().visibility(5)).hasToString("3/3");
    }

    @Test
    void nodeThatShowsTheRevisionAlreadyAnswersTheNoticeAtOnce() {
        nodes.get(B).follower().apply(5);
        nodes.get(C).follower().apply(5);
        publish(A, 5);
        deliver();

        assertThat(answered).containsExactly(5L);
    }

    @Test
    void followerThatIsAlwaysOneBehindAnswersNevertheless() {
        for (long revision = 1; revision <= 20; revision++) {
            publish(A, revision);
            deliver();
            nodes.get(B).follower().apply(revision - 1);
            nodes.get(C).follower().apply(revision - 1);
            deliver();
        }

        assertThat(answered).hasSize(19);
    }

    @Test
    void nodesThatPublishTogetherDoNotWaitForEachOther() {
        publish(A, 5);
        publish(B, 6);
        nodes.get(A).follower().apply(6);
        nodes.get(C).follower().apply(6);
        deliver();

        assertThat(answered).containsExactlyInAnyOrder(5L, 6L);
    }

    @Test
    void onlyTheNodeThatAskedIsAnswered() {
        nodes.get(B).follower().apply(4);
        assertThat(network).isEmpty();
        publish(A, 5);
        deliver();
        nodes.get(B).follower().apply(5);
        assertThat(network).extracting(Sent::to).containsExactly(A);
        deliver();
        nodes.get(B).follower().apply(6);
        assertThat(network).isEmpty();
    }

    @Test
    void nodeThatIsNotReadyIsNotNotifiedAndNotWaitedFor() {
        beat(NodeState.DRAINING);
        publish(A, 5);
        assertThat(network).extracting(Sent::to).containsExactly(B);
        deliver();
        nodes.get(B).follower().apply(5);
        deliver();

        assertThat(answered).containsExactly(5L);
        assertThat(nodes.get(A).barrier().visibility(5)).hasToString("2/2");
    }

    @Test
    void nodeOfWhichNothingIsKnownIsNotInService() {
        nodes.get(A).exchange().members(List.of(status(B, null)));
        publish(A, 5);

        assertThat(answered).containsExactly(5L);
    }

    @Test
    void revisionsRestartAfterTheDatabaseWentBack() {
        publish(A, 5);
        deliver();
        nodes.values().forEach(node -> node.follower().apply(5));
        deliver();
        nodes.values().forEach(node -> node.follower().goBack(3));
        beat(NodeState.READY);
        publish(A, 4);
        deliver();
        assertThat(answered).containsExactly(5L);
        nodes.get(B).follower().apply(4);
        nodes.get(C).follower().apply(4);
        deliver();

        assertThat(answered).containsExactly(5L, 4L);
    }

    @Test
    void nodeThatHasNotComparedYetIsNotTakenForOneThatShowsARepeatedRevision() {
        nodes.values().forEach(node -> node.follower().apply(50));
        beat(NodeState.READY);
        nodes.get(A).follower().goBack(43);
        nodes.get(C).follower().goBack(43);
        beat(NodeState.READY);

        publish(A, 44);
        deliver();
        nodes.get(C).follower().apply(44);
        deliver();
        assertThat(answered).isEmpty();
        assertThat(nodes.get(A).barrier().visibility(44)).hasToString("2/3");

        nodes.get(B).follower().goBack(44);
        deliver();
        beat(NodeState.READY);
        assertThat(answered).containsExactly(44L);
        assertThat(nodes.get(A).barrier().visibility(44)).hasToString("3/3");
    }

    @Test
    void ignoresMessagesOfOtherKinds() {
        assertThat(nodes.get(A).exchange().message(B, new ClusterMessage.Leaving()))
                .isFalse();
        assertThat(nodes.get(A).exchange().message(B, new RevisionNotice(1))).isTrue();
        assertThat(nodes.get(A).exchange().message(B, new RevisionApplied(1))).isTrue();
    }
}

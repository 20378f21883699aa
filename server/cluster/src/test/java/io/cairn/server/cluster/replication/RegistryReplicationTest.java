package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.B;
import static io.cairn.server.cluster.replication.Samples.C;
import static io.cairn.server.cluster.replication.Samples.delta;
import static io.cairn.server.cluster.replication.Samples.gone;
import static io.cairn.server.cluster.replication.Samples.heartbeat;
import static io.cairn.server.cluster.replication.Samples.hello;
import static io.cairn.server.cluster.replication.Samples.published;
import static io.cairn.server.cluster.replication.Samples.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The node B, to which the test is the group. */
class RegistryReplicationTest {

    private final AtomicLong nanos = new AtomicLong();
    private final SettableClock machine = new SettableClock();
    private final ClusterClock clock = new ClusterClock(machine);
    private final RecordingRegistry registry = new RecordingRegistry();
    private final ClusterCodec codec = new ClusterCodec();
    private final Map<NodeId, PeerLane> lanes = new HashMap<>();
    private final Set<NodeId> stopped = new HashSet<>();
    private final Set<NodeId> beating = new HashSet<>();
    private final List<String> others = new ArrayList<>();
    private NodeState state = NodeState.READY;

    private final RegistryReplication replication = new RegistryReplication(
            B,
            new LocalNode() {
                @Override
                public Description description() {
                    return new Description(9848, 9849, "0.2.0", state, 0, "");
                }

                @Override
                public Load load() {
                    return new Load(5, 6, 7);
                }
            },
            registry,
            registry,
            clock,
            (peer, lane) -> {
                lanes.put(peer, lane);
                return new LaneDriver.Driven() {
                    @Override
                    public void wake() {}

                    @Override
                    public void stop() {
                        stopped.add(peer);
                    }
                };
            },
            () -> beating,
            sdk -> Duration.ofSeconds(15),
            (from, message) -> others.add(from + " " + message.getClass().getSimpleName()),
            nanos::get);

    private void receives(NodeId from, ClusterMessage message) {
        codec.pieces(codec.encode(message)).forEach(piece -> replication.message(from, piece));
    }

    private List<ClusterMessage> sent(NodeId to) {
        List<ClusterMessage> all = new ArrayList<>();
        PeerLane lane = Objects.requireNonNull(lanes.get(to));
        for (byte[] message = lane.next(); message != null; message = lane.next()) {
            all.add(codec.decode(message));
        }
        return all;
    }

    private void passSecond() {
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        machine.advance(Duration.ofSeconds(1));
        replication.everySecond();
    }

    private void joinsWithA() {
        replication.view(List.of(A, B), false);
        receives(A, hello(A, 3, 1, 1));
        receives(A, snapshot(3, 0, true, 1, 0, published(1, "a", 1)));
        receives(A, heartbeat(3, summaryOf(A), clock.millis()));
    }

    private OwnLog.Summary summaryOf(NodeId owner) {
        return Objects.requireNonNull(replication.copies().get(owner)).summary();
    }

    @Test
    void repeatsHelloUntilThePositionHasArrived() {
        replication.view(List.of(A, B), false);
        ClusterMessage.Hello first = (ClusterMessage.Hello) sent(A).get(0);
        assertThat(first.node()).isEqualTo(B);
        passSecond();
        List<ClusterMessage> second = sent(A);
        assertThat(second.get(0)).isEqualTo(first);
        assertThat(second.get(1)).isInstanceOf(ClusterMessage.Heartbeat.class);
        receives(A, new ClusterMessage.StreamPosition(first.stream(), B.incarnation(), 0));
        passSecond();
        assertThat(sent(A)).hasSize(1).first().isInstanceOf(ClusterMessage.Heartbeat.class);
    }

    @Test
    void ignoresAPositionOfAnotherIncarnation() {
        replication.view(List.of(A, B), false);
        ClusterMessage.Hello first = (ClusterMessage.Hello) sent(A).get(0);
        receives(A, new ClusterMessage.StreamPosition(first.stream(), B.incarnation() - 1, 0));
        passSecond();
        assertThat(sent(A).get(0)).isInstanceOf(ClusterMessage.Hello.class);
    }

    @Test
    void notifiesOfEachStateThatAMemberSendsAgain() {
        List<NodeState> followed = new ArrayList<>();
        replication.followStates(
                () -> followed.add(replication.peers().iterator().next().state()));
        replication.view(List.of(A, B), false);
        assertThat(followed).isEmpty();
        receives(A, hello(A, 3, 1, 1));
        receives(A, heartbeat(3, summaryOf(A), clock.millis()));
        assertThat(followed).containsExactly(NodeState.READY);

        for (NodeState next : List.of(NodeState.JOINING, NodeState.JOINING, NodeState.READY)) {
            receives(A, new ClusterMessage.Heartbeat(3, 1, 0, 0, next, clock.millis(), 0, 0, 0));
        }
        assertThat(followed).containsExactly(NodeState.READY, NodeState.JOINING, NodeState.READY);
    }

    @Test
    void opensAllStreamsAgainAfterMerge() {
        joinsWithA();
        ClusterMessage.Hello first = (ClusterMessage.Hello) sent(A).get(0);
        replication.view(List.of(A, B, C), true);
        ClusterMessage.Hello again = (ClusterMessage.Hello) sent(A).get(0);
        assertThat(again.stream()).isGreaterThan(first.stream());
        assertThat(sent(C).get(0)).isInstanceOf(ClusterMessage.Hello.class);
    }

    @Test
    void answersHelloAndIsCompleteWithTheSnapshot() {
        replication.view(List.of(A, B), false);
        sent(A);
        assertThat(replication.isComplete()).isFalse();
        receives(A, hello(A, 3, 1, 1));
        assertThat(sent(A))
                .containsExactly(
                        new ClusterMessage.StreamPosition(3, A.incarnation(), ClusterMessage.StreamPosition.NONE));
        receives(A, snapshot(3, 0, true, 1, 0, published(1, "a", 1)));
        assertThat(replication.isComplete()).isTrue();
        assertThat(registry.takeCalls()).containsExactly("set a");
        receives(A, delta(3, 5, 6, published(6, "f", 1)));
        assertThat(sent(A)).containsExactly(new ClusterMessage.SnapshotRequest(3));
    }

    @Test
    void keepsMessagesOfNodeThatIsNotInTheViewForTwoSeconds() {
        replication.view(List.of(B), false);
        receives(A, hello(A, 3, 1, 1));
        receives(A, snapshot(3, 0, true, 1, 0, published(1, "a", 1)));
        assertThat(registry.takeCalls()).isEmpty();
        passSecond();
        replication.view(List.of(A, B), false);
        assertThat(registry.takeCalls()).containsExactly("set a");
        assertThat(replication.late()).isZero();
    }

    @Test
    void dropsMessagesOfNodeThatNoViewNamesInTime() {
        joinsWithA();
        replication.view(List.of(B), false);
        registry.takeCalls();
        receives(A, delta(3, 1, 2, published(2, "late", 1)));
        for (int i = 0; i < 4; i++) {
            passSecond();
        }
        assertThat(replication.late()).isEqualTo(1);
        replication.view(List.of(A, B), true);
        assertThat(registry.takeCalls()).isEmpty();
    }

    @Test
    void restartedNodeIsAnotherOne() {
        joinsWithA();
        NodeId restarted = new NodeId(A.address(), A.incarnation() + 1);
        replication.view(List.of(restarted, B), false);
        assertThat(stopped).containsExactly(A);
        assertThat(registry.takeCalls()).containsExactly("set a", "hold a");
        receives(restarted, hello(restarted, 1, 0, 1));
        assertThat(sent(restarted))
                .contains(new ClusterMessage.StreamPosition(
                        1, restarted.incarnation(), ClusterMessage.StreamPosition.NONE));
        assertThat(registry.takeCalls()).isEmpty();
    }

    @Test
    void sendsCopiesOfDepartedNodesToNewcomers() {
        joinsWithA();
        replication.view(List.of(B), false);
        replication.view(List.of(B, C), false);
        ClusterMessage.Orphans orphans = (ClusterMessage.Orphans) sent(C).get(1);
        assertThat(orphans.owner()).isEqualTo(A);
        assertThat(orphans.age()).isEqualTo(ClusterMessage.Orphans.NOT_STARTED);
        assertThat(orphans.last()).isTrue();
        assertThat(orphans.entries()).containsExactly(published(1, "a", 1));
    }

    @Test
    void sendsLastChangesOfDepartedNodeToPeerThatHasLess() {
        joinsWithA();
        receives(A, delta(3, 1, 4, published(2, "b", 1), published(4, "c", 1)));
        replication.view(List.of(A, B, C), false);
        receives(C, hello(C, 1, 0, 1));
        sent(C);
        receives(C, new ClusterMessage.DepartedPosition(A, 2));
        assertThat(sent(C)).isEmpty();
        replication.view(List.of(B, C), false);
        assertThat(sent(C).get(0)).isEqualTo(new ClusterMessage.DepartedPosition(A, 4));
        receives(C, new ClusterMessage.DepartedPosition(A, 2));
        ClusterMessage.Orphans rest = (ClusterMessage.Orphans) sent(C).get(0);
        assertThat(rest.entries()).containsExactly(published(4, "c", 1));
        receives(C, new ClusterMessage.DepartedPosition(A, 9));
        assertThat(sent(C)).containsExactly(new ClusterMessage.DepartedPosition(A, 4));
    }

    @Test
    void leavesTheCopiesOfDepartedNodesToTheFirstInService() {
        joinsWithA();
        replication.view(List.of(A, B, C), false);
        receives(C, hello(C, 1, 0, 1));
        replication.view(List.of(B, C), false);
        NodeId newcomer = new NodeId("10.0.0.4:8848", 4_000);
        state = NodeState.JOINING;
        replication.view(List.of(B, C, newcomer), false);
        assertThat(sent(newcomer)).hasSize(1);
    }

    @Test
    void orphansEndAfterTheirWindowUnlessThisNodeIsCutOff() {
        joinsWithA();
        replication.view(List.of(B), false);
        registry.takeCalls();
        beating.add(A);
        for (int i = 0; i < 60; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).isEmpty();
        beating.clear();
        for (int i = 0; i < 15; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).isEmpty();
        passSecond();
        assertThat(registry.takeCalls()).containsExactly("lose a");
        assertThat(replication.copies()).isEmpty();
    }

    /** Before its ports are open, and while it stops. */
    @Test
    void nodeWithoutClientsKeepsWhatItHolds() {
        joinsWithA();
        replication.view(List.of(B), false);
        registry.takeCalls();
        replication.holdAll(true);
        for (int i = 0; i < 60; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).isEmpty();
        replication.holdAll(false);
        for (int i = 0; i < 15; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).isEmpty();
        passSecond();
        assertThat(registry.takeCalls()).containsExactly("lose a");
    }

    /** Without the database it does not know who is alive. */
    @Test
    void isolatedNodeKeepsWhatItHolds() {
        joinsWithA();
        replication.view(List.of(B), false);
        registry.takeCalls();
        state = NodeState.ISOLATED;
        for (int i = 0; i < 60; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).isEmpty();
        state = NodeState.READY;
        for (int i = 0; i < 16; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).containsExactly("lose a");
    }

    /** Its clients find out by time-outs that it hangs; some of official ones after more than 20 s. */
    @Test
    void orphansOfNodeThatHungAreHeldLonger() {
        joinsWithA();
        nanos.addAndGet(Duration.ofSeconds(7).toNanos());
        replication.view(List.of(B), false);
        passSecond();
        replication.view(List.of(B, C), false);
        assertThat(sent(C))
                .filteredOn(ClusterMessage.Orphans.class::isInstance)
                .singleElement()
                .satisfies(message -> {
                    long age = ((ClusterMessage.Orphans) message).age();
                    assertThat(age).isEqualTo(-PeerCopy.HUNG.toMillis());
                });
        registry.takeCalls();
        for (int i = 0; i < 29; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).isEmpty();
        passSecond();
        assertThat(registry.takeCalls()).containsExactly("lose a");
    }

    @Test
    void nodeThatJoinsHoldsOrphansAsLongAsTheOneThatSendsThem() {
        replication.view(List.of(B, C), false);
        receives(C, hello(C, 1, 0, 1));
        receives(C, new ClusterMessage.Orphans(A, -10_000, 0, true, List.of(published(1, "a", 1))));
        assertThat(registry.takeCalls()).containsExactly("hold a");
        for (int i = 0; i < 24; i++) {
            passSecond();
        }
        assertThat(registry.takeCalls()).isEmpty();
        passSecond();
        assertThat(registry.takeCalls()).containsExactly("lose a");
    }

    @Test
    void pauseOfThisNodeDoesNotEndHeldInstances() {
        joinsWithA();
        replication.view(List.of(B), false);
        registry.takeCalls();
        passSecond();
        nanos.addAndGet(Duration.ofSeconds(60).toNanos());
        replication.everySecond();
        assertThat(registry.takeCalls()).isEmpty();
    }

    /** The client may be at a third node for long, whose message is still to be read. */
    @Test
    void connectionThatEndedWhileThisNodeWasPausedIsHeld() {
        joinsWithA();
        receives(A, delta(3, 1, 3, published(2, "b", 1), published(3, "c", 1)));
        passSecond();
        registry.takeCalls();

        nanos.addAndGet(Duration.ofSeconds(4).toNanos());
        receives(A, delta(3, 3, 4, gone(4, "a")));
        replication.everySecond();
        receives(A, delta(3, 4, 5, gone(5, "b")));
        assertThat(registry.takeCalls()).containsExactly("hold a", "hold b");

        for (int i = 0; i < 3; i++) {
            passSecond();
        }
        receives(A, delta(3, 5, 6, gone(6, "c")));
        assertThat(registry.takeCalls()).containsExactly("remove c");
    }

    @Test
    void isInStepWithFreshHeartbeatsOnly() {
        assertThat(replication.isInStep()).isTrue();
        joinsWithA();
        assertThat(replication.isInStep()).isTrue();
        machine.advance(Duration.ofSeconds(3));
        assertThat(replication.isInStep()).isFalse();
        receives(A, heartbeat(3, new OwnLog.Summary(2, 2, 5), clock.millis()));
        assertThat(replication.isInStep()).isFalse();
        receives(A, heartbeat(3, summaryOf(A), clock.millis()));
        assertThat(replication.isInStep()).isTrue();
    }

    @Test
    void exchangesNothingWithNodeOfAnotherProtocol() {
        replication.view(List.of(A, B), false);
        sent(A);
        receives(A, hello(A, 3, 1, 2));
        assertThat(sent(A)).isEmpty();
        assertThat(replication.isComplete()).isFalse();
        assertThat(replication.peers()).singleElement().satisfies(peer -> {
            assertThat(peer.incompatible()).isTrue();
            assertThat(Objects.requireNonNull(peer.hello()).version()).isEqualTo("0.2.0");
        });
    }

    @Test
    void doesNotFollowClockThatIsSetWrong() {
        joinsWithA();
        long before = clock.millis();
        receives(A, heartbeat(3, summaryOf(A), before + 61_000));
        assertThat(clock.millis()).isEqualTo(before);
        assertThat(replication.peers()).singleElement().matches(PeerStatus::clockIsOff);
        receives(A, heartbeat(3, summaryOf(A), before + 59_000));
        assertThat(clock.millis()).isEqualTo(before + 59_000);
        assertThat(replication.peers()).singleElement().matches(peer -> !peer.clockIsOff());
    }

    @Test
    void reportsTheLagOfACopyAndWhetherItEqualsItsOwner() {
        replication.view(List.of(A, B), false);
        assertThat(replication.peers()).singleElement().satisfies(peer -> {
            assertThat(peer.digestsEqual()).isNull();
            assertThat(peer.millisSinceDiffered()).isNull();
            assertThat(peer.clockOffsetMillis()).isNull();
        });
        receives(A, hello(A, 3, 1, 1));
        receives(A, snapshot(3, 0, true, 1, 0, published(1, "a", 1)));
        OwnLog.Summary copied = summaryOf(A);
        receives(A, heartbeat(3, copied, clock.millis()));
        assertThat(replication.peers()).singleElement().satisfies(peer -> {
            assertThat(peer.digestsEqual()).isTrue();
            assertThat(peer.behindMillis()).isZero();
            assertThat(peer.missing()).isZero();
        });

        passSecond();
        long time = machine.millis() + 1_500;
        receives(
                A,
                new ClusterMessage.Heartbeat(
                        3, copied.sequence() + 4, 1, copied.digest(), NodeState.READY, clock.millis(), 0, 0, 0, time));
        assertThat(replication.peers()).singleElement().satisfies(peer -> {
            assertThat(peer.digestsEqual()).as("as compared last").isTrue();
            assertThat(peer.behindMillis()).isEqualTo(1_000);
            assertThat(peer.missing()).isEqualTo(4);
            assertThat(peer.clockOffsetMillis()).isEqualTo(1_500);
        });
    }

    @Test
    void remembersWhenACopyDiffered() {
        joinsWithA();
        OwnLog.Summary copied = summaryOf(A);
        receives(A, heartbeat(3, new OwnLog.Summary(copied.sequence(), copied.count(), ~copied.digest()), 1));
        passSecond();

        assertThat(replication.diverged()).isEqualTo(1);
        assertThat(replication.peers()).singleElement().satisfies(peer -> {
            assertThat(peer.digestsEqual()).isFalse();
            assertThat(peer.millisSinceDiffered()).isEqualTo(1_000);
        });
    }

    @Test
    void dropsMessageThatCannotBeRead() {
        joinsWithA();
        replication.message(A, new byte[] {1, 7});
        replication.message(A, new byte[] {1, 120});
        assertThat(replication.unreadable()).isEqualTo(2);
    }

    @Test
    void passesOtherMessagesOn() {
        joinsWithA();
        receives(A, new ClusterMessage.RevisionNotice(4));
        receives(A, new ClusterMessage.Answer(1, "x".repeat(60_000)));
        assertThat(others).containsExactly(A + " RevisionNotice", A + " Answer");
        assertThat(replication.send(A, new ClusterMessage.Leaving())).isTrue();
        assertThat(sent(A)).contains(new ClusterMessage.Leaving());
        assertThat(replication.send(C, new ClusterMessage.Leaving())).isFalse();
    }
}

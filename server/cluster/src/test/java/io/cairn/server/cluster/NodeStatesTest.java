package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.cluster.NodeStates.Observation;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import io.cairn.server.testing.LogWatch;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeStatesTest {

    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(30);
    private static final NodeId A = node("a");
    private static final NodeId B = node("b");
    private static final NodeId C = node("c");
    private static final NodeId D = node("d");

    private long nanos = 1;
    private final NodeStates states =
            new NodeStates(JOIN_TIMEOUT, () -> nanos, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
    private final List<NodeState> followed = new ArrayList<>();
    private int rejoins;

    private boolean isDatabaseThere = true;
    private boolean isComplete = true;
    private boolean isInStep = true;
    private Set<String> known = Set.of();
    private List<NodeTable.Row> unseen = List.of();
    private Set<String> unmet = Set.of();
    private Set<String> otherKeys = Set.of();
    private boolean isRevisionKnown = true;
    private long revision;
    private long revisionOfOthers;
    private boolean isWaiting;
    private String failsAlone;

    private static NodeId node(String name) {
        return new NodeId(name + ":8848", 1);
    }

    private void view(NodeId... members) {
        states.view(new GroupView(1, List.of(members), false));
    }

    private void merge(NodeId... members) {
        states.view(new GroupView(2, List.of(members), true));
    }

    private NodeState decide() {
        states.decide(observation());
        return states.state();
    }

    private Observation observation() {
        return new Observation(
                isDatabaseThere,
                isComplete,
                isInStep,
                known,
                unseen,
                unmet,
                otherKeys,
                isRevisionKnown,
                revision,
                revisionOfOthers,
                isWaiting,
                failsAlone);
    }

    /** One decision a second for that time. */
    private NodeState decideFor(int seconds) {
        NodeState last = states.state();
        for (int i = 0; i < seconds; i++) {
            pass(1_000);
            last = decide();
        }
        return last;
    }

    private void pass(long millis) {
        nanos += Duration.ofMillis(millis).toNanos();
    }

    private void inService(NodeId... members) {
        states.follow(followed::add);
        states.followRejoin(() -> rejoins++);
        view(members);
        states.open();
        assertThat(decide()).isEqualTo(NodeState.READY);
    }

    /** Nodes that are alive, of which each sees the others of the same part. */
    private static List<NodeTable.Row> part(NodeState state, NodeId... members) {
        List<String> addresses = Arrays.stream(members).map(NodeId::address).toList();
        return Stream.of(members)
                .map(member -> new NodeTable.Row(member, 9849, 9848, "1", 1, state.name(), addresses, 0, 0, 1))
                .toList();
    }

    @Test
    void startsJoiningAndIsReadyWhenThePortsAreOpenAndTheCopiesComplete() {
        view(A, B);
        isComplete = false;

        assertThat(decideFor(2)).isEqualTo(NodeState.JOINING);
        assertThat(states.present().reason()).isNotNull();
        isComplete = true;
        assertThat(decideFor(2)).as("the ports are closed").isEqualTo(NodeState.JOINING);
        states.open();
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.present().reason()).isNull();
        assertThat(states.present().isIncomplete()).isFalse();
    }

    @Test
    void isNotReadyAfterAPauseBeforeTheNextDecision() {
        inService(A, B);
        pass(4_000);
        assertThat(states.notReadyBecause()).isNull();
        assertThat(states.mayLackChanges()).isFalse();

        pass(1);
        assertThat(states.notReadyBecause()).startsWith("JOINING: the node did not run for 4001 ms");
        assertThat(states.mayLackChanges()).isTrue();
        assertThat(decide()).isEqualTo(NodeState.JOINING);
        assertThat(states.notReadyBecause()).startsWith("JOINING: the node did not run for 4001 ms");
        assertThat(states.mayLackChanges()).isTrue();
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.notReadyBecause()).isNull();
        assertThat(states.mayLackChanges()).isFalse();
    }

    @Test
    void catchesUpWithTheOthersAfterAPauseBeforeItIsInService() {
        inService(A, B);
        revision = 5;
        revisionOfOthers = 5;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        pass(7_000);
        assertThat(decide()).isEqualTo(NodeState.JOINING);

        revisionOfOthers = 9;
        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        revision = 8;
        revisionOfOthers = 12;
        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        revision = 9;
        revisionOfOthers = 15;
        assertThat(decideFor(1)).as("others publish all the time").isEqualTo(NodeState.READY);
    }

    @Test
    void waitsForNoRevisionThatTheDatabaseHasLost() {
        inService(A, B);
        revision = 5;
        pass(7_000);
        decide();
        revisionOfOthers = 9;
        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);

        revisionOfOthers = 5;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
    }

    @Test
    void isNotInServiceBeforeItHasComparedItsContentsWithTheDatabase() {
        view(A, B);
        states.open();
        isRevisionKnown = false;

        assertThat(decideFor(29)).isEqualTo(NodeState.JOINING);
        isRevisionKnown = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
    }

    @Test
    void isNotInServiceWhileItAloneDoesNotFollow() {
        inService(A, B);
        failsAlone = "the node has not followed for 4 s";

        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        assertThat(states.present().reason()).isEqualTo("the node has not followed for 4 s");
        assertThat(states.notReadyBecause()).isEqualTo("JOINING: the node has not followed for 4 s");
        assertThat(decideFor(60)).as("also after the time of a start").isEqualTo(NodeState.JOINING);
        failsAlone = null;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(rejoins).isZero();
    }

    @Test
    void isInServiceWithItsMirrorWhileTheDatabaseIsUnavailable() {
        view(A, B);
        states.open();
        isRevisionKnown = false;
        isDatabaseThere = false;

        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
    }

    @Test
    void slowStartIsNoPause() {
        states.followRejoin(() -> rejoins++);
        view(A, B);
        states.open();
        isInStep = false;
        pass(10_000);

        assertThat(decide()).isEqualTo(NodeState.READY);
        assertThat(rejoins).isZero();
        pass(4_001);
        assertThat(decide()).isEqualTo(NodeState.JOINING);
        assertThat(rejoins).isEqualTo(1);
    }

    @Test
    void isInServiceWithIncompleteCopiesAfterTheTimeoutAndReportsIt() {
        view(A, B);
        states.open();
        isComplete = false;

        assertThat(decideFor(29)).isEqualTo(NodeState.JOINING);
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.present().isIncomplete()).isTrue();
        isComplete = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.present().isIncomplete()).isFalse();
    }

    @Test
    void staysReadyWhileANodeJoinsWhoseCopyIsNotComplete() {
        inService(A, B);
        isComplete = false;

        assertThat(decideFor(5)).isEqualTo(NodeState.READY);
        assertThat(followed).containsExactly(NodeState.READY);
    }

    @Test
    void joinsAgainAfterAPauseOfItsOwnUntilItIsInStep() {
        inService(A, B);
        pass(4_000);
        assertThat(decide()).as("4 s are no pause").isEqualTo(NodeState.READY);

        pass(4_001);
        isInStep = false;
        assertThat(decide()).isEqualTo(NodeState.JOINING);
        assertThat(rejoins).isEqualTo(1);
        assertThat(states.present().reason()).contains("did not run for 4001 ms");
        assertThat(decideFor(2)).isEqualTo(NodeState.JOINING);
        isInStep = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
    }

    @Test
    void isInServiceAgainAfterThirtySecondsAlthoughItIsNotInStep() {
        inService(A, B);
        pass(10_000);
        isInStep = false;
        decide();

        assertThat(decideFor(29)).isEqualTo(NodeState.JOINING);
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.present().isIncomplete()).isTrue();
    }

    @Test
    void theSmallerPartOfAMergeStaysInServiceWhenItHasServedAllTheTime() {
        inService(A, B, C);
        view(C);
        decideFor(3);
        isInStep = false;
        isComplete = false;

        merge(A, B, C);
        assertThat(decideFor(5)).isEqualTo(NodeState.READY);
        assertThat(rejoins).isZero();
        assertThat(followed).containsExactly(NodeState.READY);
    }

    @Test
    void theLargerPartOfAMergeStaysInService() {
        inService(A, B);

        merge(A, B, C);
        assertThat(states.state()).isEqualTo(NodeState.READY);
    }

    @Test
    void twoPartsOfOneSizeThatMergeBothStayInService() {
        inService(A, B, C, D);
        view(A, B);
        merge(A, B, C, D);
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);

        NodeStates other = new NodeStates(JOIN_TIMEOUT, () -> nanos, Clock.systemUTC());
        other.open();
        other.view(new GroupView(1, List.of(C, D), false));
        other.decide(observation());
        other.view(new GroupView(2, List.of(A, B, C, D), true));
        assertThat(other.state()).isEqualTo(NodeState.READY);
    }

    @Test
    void partsOfOneNodeEachThatMergeAllStayInService() {
        for (NodeId node : List.of(A, B, C)) {
            NodeStates each = new NodeStates(JOIN_TIMEOUT, () -> nanos, Clock.systemUTC());
            each.open();
            each.view(new GroupView(1, List.of(A, B, C), false));
            each.view(new GroupView(2, List.of(node), false));
            each.decide(observation());
            each.view(new GroupView(3, List.of(A, B, C), true));
            assertThat(each.state()).as("%s", node).isEqualTo(NodeState.READY);
        }
    }

    @Test
    void ofNodesThatHaveStartedApartTheFirstOneStaysInService() {
        NodeId early = new NodeId("z:8848", 1);
        NodeId late = new NodeId("a:8848", 2);
        states.follow(followed::add);
        view(late);
        states.open();
        assertThat(decide()).isEqualTo(NodeState.READY);
        isComplete = false;
        merge(early, late);
        assertThat(states.present().reason()).contains("started apart from z:8848");
        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        isComplete = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);

        NodeStates other = new NodeStates(JOIN_TIMEOUT, () -> nanos, Clock.systemUTC());
        other.open();
        other.view(new GroupView(1, List.of(early), false));
        other.decide(observation());
        other.view(new GroupView(2, List.of(early, late), true));
        assertThat(other.state()).isEqualTo(NodeState.READY);
    }

    /** The view after the merge may come before the first decision after the pause. */
    @Test
    void aPausedNodeJoinsAgainWithTheMergeFromAPartOfAnySize() {
        inService(A, B, C);
        view(A, B);
        decideFor(1);
        pass(10_000);

        merge(A, B, C);
        assertThat(states.state()).isEqualTo(NodeState.JOINING);
        assertThat(states.present().reason()).contains("did not run for 10000 ms");
        isInStep = false;
        assertThat(decideFor(3)).isEqualTo(NodeState.JOINING);
        isInStep = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(rejoins).as("the pause counts once").isEqualTo(1);
    }

    @Test
    void aPausedNodeThatMergesLaterStaysJoiningUntilItIsInStep() {
        inService(A, B);
        pass(10_000);
        isInStep = false;
        decide();
        merge(B, A);
        assertThat(decideFor(2)).isEqualTo(NodeState.JOINING);
        view(A);
        isInStep = true;

        assertThat(decideFor(1)).as("the other node has died").isEqualTo(NodeState.READY);
    }

    @Test
    void anIsolatedNodeJoinsAgainAfterTheMerge() {
        inService(A, B, C);
        view(C);
        unseen = part(NodeState.READY, A, B);
        assertThat(decideFor(6)).isEqualTo(NodeState.ISOLATED);
        merge(A, B, C);
        unseen = List.of();
        isInStep = false;

        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        isInStep = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
    }

    @Test
    void aStartingNodeThatMergesIsReadyWhenTheCopiesAreComplete() {
        view(C);
        decide();
        isComplete = false;
        merge(A, B, C);
        states.open();

        assertThat(decideFor(2)).isEqualTo(NodeState.JOINING);
        isComplete = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
    }

    @Test
    void aViewThatIsNoMergeChangesNothing() {
        inService(C);
        view(C, A, B);

        assertThat(states.state()).isEqualTo(NodeState.READY);
    }

    @Test
    void isIsolatedWithoutDatabaseWhenItSeesFewerThanHalfOfTheKnownNodes() {
        inService(A, B, C);
        known = Set.of(A.address(), B.address(), C.address());
        isDatabaseThere = false;
        view(C);

        // The first decision that sees it starts the time.
        assertThat(decideFor(5)).isEqualTo(NodeState.READY);
        assertThat(decideFor(1)).isEqualTo(NodeState.ISOLATED);
        assertThat(states.present().reason())
                .contains("of 3 nodes this one reaches 1", "it does not reach a:8848, b:8848");
    }

    @Test
    void isolationIsAWarningThatSaysWhichNodesAreNotReached() {
        inService(A, B, C);
        view(C);
        unseen = part(NodeState.READY, A, B);
        try (LogWatch log = new LogWatch()) {
            assertThat(decideFor(6)).isEqualTo(NodeState.ISOLATED);

            assertThat(log.warningsOf(NodeStates.class))
                    .singleElement()
                    .asString()
                    .contains("ISOLATED", "does not reach a:8848, b:8848");
        }
    }

    @Test
    void halfOfTheKnownNodesIsEnoughWithoutTheDatabase() {
        inService(A, B);
        known = Set.of(A.address(), B.address());
        isDatabaseThere = false;
        view(B);

        assertThat(decideFor(20)).isEqualTo(NodeState.READY);
    }

    @Test
    void allStayInServiceWithoutDatabaseWhenTheGroupIsComplete() {
        inService(A, B, C);
        known = Set.of(A.address(), B.address(), C.address());
        isDatabaseThere = false;

        assertThat(decideFor(20)).isEqualTo(NodeState.READY);
    }

    @Test
    void isIsolatedWhenMoreNodesAreAliveThatItDoesNotSee() {
        inService(A, B, C);
        view(C);
        unseen = part(NodeState.READY, A, B);

        assertThat(decideFor(5)).isEqualTo(NodeState.READY);
        assertThat(decideFor(1)).isEqualTo(NodeState.ISOLATED);
        assertThat(states.present().reason()).contains("a:8848, b:8848");
    }

    @Test
    void theLargerPartIsNotIsolated() {
        inService(A, B, C);
        view(A, B);
        unseen = part(NodeState.READY, C);

        assertThat(decideFor(20)).isEqualTo(NodeState.READY);
    }

    @Test
    void twoSmallPartsAreNotOneLargerPart() {
        NodeId e = node("e");
        inService(A, B, C, D, e);
        view(A);
        unseen = Stream.concat(part(NodeState.READY, B).stream(), part(NodeState.READY, C).stream())
                .toList();

        assertThat(decideFor(20))
                .as("parts of one, and this one has the smallest address")
                .isEqualTo(NodeState.READY);
    }

    @Test
    void ofTwoPartsOfOneSizeTheOneWithoutTheSmallestAddressIsIsolated() {
        inService(A, B, C, D);
        view(C, D);
        unseen = part(NodeState.READY, A, B);
        assertThat(decideFor(6)).isEqualTo(NodeState.ISOLATED);
    }

    @Test
    void ofTwoPartsOfOneSizeTheOneWithTheSmallestAddressServes() {
        inService(A, B, C, D);
        view(A, B);
        unseen = part(NodeState.READY, C, D);
        assertThat(decideFor(20)).isEqualTo(NodeState.READY);
    }

    @Test
    void startingNodeIsNoPartOfTheGroup() {
        inService(B);
        unseen = part(NodeState.JOINING, A);

        assertThat(decideFor(20)).isEqualTo(NodeState.READY);
    }

    @Test
    void aShortCutIsNoIsolation() {
        inService(A, B, C);
        view(C);
        unseen = part(NodeState.READY, A, B);
        decideFor(4);
        unseen = List.of();
        decideFor(1);
        unseen = part(NodeState.READY, A, B);

        assertThat(decideFor(5)).isEqualTo(NodeState.READY);
        assertThat(decideFor(1)).isEqualTo(NodeState.ISOLATED);
    }

    @Test
    void joinsAgainWhenItIsIsolatedNoLonger() {
        inService(A, B, C);
        view(C);
        unseen = part(NodeState.READY, A, B);
        decideFor(6);
        unseen = List.of();
        isInStep = false;

        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        isInStep = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(followed).containsExactly(NodeState.READY, NodeState.ISOLATED, NodeState.JOINING, NodeState.READY);
    }

    @Test
    void isNotInServiceWhileItShowsARevisionOfMoreThanThreeSecondsAgo() {
        inService(A, B);
        revision = 7;
        revisionOfOthers = 8;

        assertThat(decideFor(4))
                .as("the first decision sees it, three seconds follow")
                .isEqualTo(NodeState.READY);
        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        assertThat(states.present().reason()).contains("revision 7").contains("revision 8");
        assertThat(rejoins).as("it was not cut off from the group").isZero();
        assertThat(decideFor(60)).as("no timeout ends this").isEqualTo(NodeState.JOINING);
        revision = 8;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
    }

    /** The other nodes report that they follow, because none of their statements has failed yet. */
    @Test
    void staysInServiceWithAnOlderRevisionWhileItWaitsForTheDatabase() {
        inService(A, B);
        revision = 7;
        revisionOfOthers = 8;
        decideFor(2);
        isWaiting = true;

        assertThat(decideFor(60)).isEqualTo(NodeState.READY);
        isWaiting = false;
        assertThat(decideFor(4)).as("time to follow").isEqualTo(NodeState.READY);
        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        isWaiting = true;
        assertThat(decideFor(10)).as("it is behind, whatever comes then").isEqualTo(NodeState.JOINING);
    }

    @Test
    void isNotInServiceWhileItWaitsForTheDatabaseAndAnotherNodeFollows() {
        inService(A, B);
        isWaiting = true;
        failsAlone = "the node has not followed for 4 s";

        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
    }

    @Test
    void startsOnlyWhenItHasMetTheNodesWithAFreshHeartbeat() {
        view(C);
        states.begin();
        states.open();
        unmet = Set.of(B.address(), A.address());

        assertThat(decideFor(29)).isEqualTo(NodeState.JOINING);
        assertThat(states.present().reason())
                .startsWith("the node has not met a:8848, b:8848, whose heartbeat in the database is fresh")
                .endsWith("check the ports between the nodes");
        view(A, B, C);
        unmet = Set.of();
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.present().isIncomplete()).isFalse();

        view(A, C);
        unmet = Set.of(B.address());
        assertThat(decideFor(3)).as("it was in service before").isEqualTo(NodeState.READY);
    }

    @Test
    void startsWithoutTheOthersAfterTheTimeoutAndReportsIt() {
        pass(60_000);
        states.begin();
        view(A);
        states.open();
        unmet = Set.of(B.address());

        assertThat(decideFor(29))
                .as("the time counts from the begin of the join")
                .isEqualTo(NodeState.JOINING);
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.present().isIncomplete()).isTrue();
    }

    /** The comparison begins after the wait for the others. */
    @Test
    void comparesItsContentsAlsoAfterTheTimeoutOfTheJoin() {
        states.begin();
        view(A);
        unmet = Set.of(B.address());
        isRevisionKnown = false;
        decideFor(31);
        states.open();

        assertThat(decideFor(2)).isEqualTo(NodeState.JOINING);
        isRevisionKnown = true;
        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(states.present().isIncomplete()).isTrue();
    }

    @Test
    void namesTheKeyAndNotThePortWhereTheKeysDiffer() {
        view(C);
        states.begin();
        states.open();
        unmet = Set.of(A.address(), B.address());
        unseen = part(NodeState.READY, A, B);
        otherKeys = Set.of(B.address());

        assertThat(decideFor(1)).isEqualTo(NodeState.JOINING);
        assertThat(states.present().reason())
                .contains("the messages of b:8848 are encrypted with another key", "cairn.cluster.key")
                .doesNotContain("ports");
        assertThat(decideFor(5)).isEqualTo(NodeState.ISOLATED);
        assertThat(states.present().reason())
                .contains("does not reach a:8848, b:8848", "cairn.cluster.key")
                .doesNotContain("ports");
    }

    @Test
    void isInServiceWhileItFollowsRevisionsThatRiseAllTheTime() {
        inService(A, B);
        for (int i = 0; i < 20; i++) {
            revisionOfOthers += 1_000;
            assertThat(decideFor(1)).isEqualTo(NodeState.READY);
            revision = revisionOfOthers - 500;
        }
    }

    @Test
    void drainingIsTheLastState() {
        inService(A, B);
        states.drain();

        assertThat(states.state()).isEqualTo(NodeState.DRAINING);
        pass(10_000);
        assertThat(decide()).isEqualTo(NodeState.DRAINING);
        merge(A, B, C, D);
        unseen = part(NodeState.READY, C, D);
        assertThat(decideFor(10)).isEqualTo(NodeState.DRAINING);
    }

    @Test
    void aPauseDoesNotCountAsTimeInWhichTheNodeWasCutOff() {
        inService(A, B, C);
        view(C);
        unseen = part(NodeState.READY, A, B);
        decideFor(1);
        pass(20_000);
        assertThat(decide()).isEqualTo(NodeState.JOINING);

        assertThat(decideFor(3)).isEqualTo(NodeState.READY);
        assertThat(decideFor(3)).isEqualTo(NodeState.ISOLATED);
    }

    @Test
    void drainedNodeReturnsToServiceOnceItIsInStep() {
        inService(A, B);
        states.drainForOperator();
        assertThat(states.notReadyBecause()).startsWith("DRAINING: an operator drains this node");
        assertThat(decideFor(10)).isEqualTo(NodeState.DRAINING);

        isInStep = false;
        assertThat(states.undrain()).isTrue();
        assertThat(decideFor(2)).isEqualTo(NodeState.JOINING);
        isInStep = true;

        assertThat(decideFor(1)).isEqualTo(NodeState.READY);
        assertThat(rejoins).as("it was not cut off").isZero();
    }

    @Test
    void anOperatorEndsNoDrainOfANodeThatStops() {
        inService(A, B);
        assertThat(states.undrain()).as("of a node in service").isFalse();
        states.drainForOperator();
        states.drain();

        assertThat(states.undrain()).isFalse();
        states.drainForOperator();

        assertThat(states.present().reason()).contains("the node stops");
    }
}

package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowWitnessTest {

    private static final NodeId SELF = new NodeId("a:8848", 1);
    private static final NodeId OTHER = new NodeId("b:8848", 1);

    private long nanos = 1;
    private final RowWitness witness = new RowWitness(() -> nanos);

    private static NodeTable.Heartbeat row(NodeId id, long ageMillis) {
        return row(id, ageMillis, NodeState.READY);
    }

    private static NodeTable.Heartbeat row(NodeId id, long ageMillis, NodeState state) {
        return new NodeTable.Heartbeat(
                new NodeTable.Row(id, 9849, 9848, "1", 1, state.name(), List.of(), 0, 0, 1),
                Duration.ofMillis(ageMillis));
    }

    private void pass(long millis) {
        nanos += Duration.ofMillis(millis).toNanos();
    }

    @Test
    void theDatabaseIsUnavailableBeforeItsFirstAndFiveSecondsAfterItsLastResponse() {
        assertThat(witness.isDatabaseThere()).isFalse();
        witness.read(List.of(), List.of(SELF));
        pass(4_999);
        assertThat(witness.isDatabaseThere()).isTrue();
        pass(1);
        assertThat(witness.isDatabaseThere()).isFalse();
    }

    @Test
    void aRowThatIsYoungerThanSixSecondsBeats() {
        witness.read(List.of(row(OTHER, 3_000)), List.of(SELF, OTHER));
        assertThat(witness.now()).containsExactly(OTHER);
        pass(3_000);
        assertThat(witness.now()).isEmpty();
    }

    @Test
    void nothingBeatsThatTheDatabaseCannotBeAskedFor() {
        witness.read(List.of(row(OTHER, 0)), List.of(SELF));
        pass(5_000);
        assertThat(witness.now()).isEmpty();
        assertThat(witness.unseen(List.of(SELF))).isEmpty();
    }

    @Test
    void nodeOutsideTheViewIsAliveOnceItsHeartbeatContinues() {
        witness.read(List.of(row(OTHER, 500)), List.of(SELF, OTHER));
        pass(2_000);
        // It has left the view; its last heartbeat may be from before.
        witness.read(List.of(row(OTHER, 1_000)), List.of(SELF));
        assertThat(witness.unseen(List.of(SELF))).isEmpty();
        pass(2_000);
        witness.read(List.of(row(OTHER, 1_000)), List.of(SELF));
        assertThat(witness.unseen(List.of(SELF)))
                .extracting(NodeTable.Row::node)
                .containsExactly(OTHER);
        assertThat(witness.unseen(List.of(SELF, OTHER)))
                .as("it is in the view again")
                .isEmpty();
    }

    @Test
    void deadNodeIsNotAliveDespiteARecentRow() {
        witness.read(List.of(row(OTHER, 0)), List.of(SELF, OTHER));
        for (int i = 1; i <= 3; i++) {
            pass(1_500);
            witness.read(List.of(row(OTHER, 1_500L * i)), List.of(SELF));
            assertThat(witness.unseen(List.of(SELF))).isEmpty();
        }
        assertThat(witness.now()).containsExactly(OTHER);
    }

    @Test
    void nodeThatDiesInTheOtherPartIsNotAliveAfterSixSeconds() {
        for (int i = 0; i < 3; i++) {
            witness.read(List.of(row(OTHER, 0)), List.of(SELF));
            pass(2_000);
        }
        assertThat(witness.unseen(List.of(SELF))).hasSize(1);
        pass(4_000);
        witness.read(List.of(row(OTHER, 6_000)), List.of(SELF));
        assertThat(witness.unseen(List.of(SELF))).isEmpty();
    }

    @Test
    void nodeWithAFreshHeartbeatIsUnmetUntilItIsInTheViewOrItsHeartbeatIsOld() {
        assertThat(witness.unmet(List.of(SELF))).as("before the first reading").isEmpty();
        witness.read(List.of(row(SELF, 0), row(OTHER, 3_000)), List.of(SELF));
        assertThat(witness.unmet(List.of(SELF))).containsExactly(OTHER.address());
        NodeId restarted = new NodeId(OTHER.address(), 2);
        assertThat(witness.unmet(List.of(SELF, restarted)))
                .as("its row is that of the run before")
                .isEmpty();
        pass(3_000);
        assertThat(witness.unmet(List.of(SELF))).isEmpty();
    }

    @Test
    void isolatedNodeIsNotUnmet() {
        witness.read(List.of(row(OTHER, 0, NodeState.ISOLATED)), List.of(SELF));
        assertThat(witness.unmet(List.of(SELF))).isEmpty();
        witness.read(List.of(row(OTHER, 0, NodeState.JOINING)), List.of(SELF));
        assertThat(witness.unmet(List.of(SELF))).containsExactly(OTHER.address());
    }
}

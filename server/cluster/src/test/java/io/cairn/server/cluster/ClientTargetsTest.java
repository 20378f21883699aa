package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientTargetsTest {

    private static final NodeId SELF = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.0.0.3:8848", 1);

    private long nanos = 1;
    private List<NodeId> view = List.of(SELF, B, C);
    private final MemberStates members = new MemberStates(SELF, () -> nanos, Clock.systemUTC());
    private final RowWitness witness = new RowWitness(() -> nanos);
    private final ClientTargets targets = new ClientTargets(SELF, members, witness);

    @BeforeEach
    void threeNodesAreInService() {
        heartbeats(NodeState.READY, NodeState.READY);
        reads(row(B, NodeState.READY, 0), row(C, NodeState.READY, 0));
    }

    private static PeerStatus peer(NodeId id, NodeState state, long connections) {
        ClusterMessage.Heartbeat heartbeat = new ClusterMessage.Heartbeat(1, 1, 0, 0, state, 1, 1, connections, 0);
        return new PeerStatus(id, null, heartbeat, false, false, true, 0, 1, 1);
    }

    private void heartbeats(NodeState ofB, NodeState ofC) {
        List<PeerStatus> peers = new ArrayList<>(List.of(peer(B, ofB, 7), peer(C, ofC, 9)));
        peers.removeIf(each -> !view.contains(each.id()));
        members.refresh(view, NodeState.READY, 1, peers);
    }

    private static NodeTable.Heartbeat row(NodeId id, NodeState state, long ageMillis) {
        return new NodeTable.Heartbeat(
                new NodeTable.Row(id, 9849, 9848, "1", 1, state.name(), List.of(), 0, 5, 1),
                Duration.ofMillis(ageMillis));
    }

    private void reads(NodeTable.Heartbeat... rows) {
        witness.read(List.of(rows), view);
        targets.rowsRead();
    }

    private void sees(NodeId... nodes) {
        view = List.of(nodes);
        targets.view(new GroupView(1, view, false));
        heartbeats(NodeState.READY, NodeState.READY);
    }

    private Map<NodeId, Long> all() {
        return targets.all(view, NodeState.ISOLATED);
    }

    @Test
    void isolatedNodeWithoutTheDatabaseNamesThoseItSawLast() {
        sees(SELF);
        nanos += Duration.ofHours(1).toNanos();

        assertThat(witness.isDatabaseThere()).isFalse();
        assertThat(all()).containsOnly(Map.entry(B, 7L), Map.entry(C, 9L));
    }

    @Test
    void nodeThatIsNotIsolatedNamesItsViewAlone() {
        sees(SELF, B);

        assertThat(targets.all(view, NodeState.DRAINING)).containsOnly(Map.entry(B, 7L));
    }

    @Test
    void isolatedNodeDoesNotNameTheOthersOfItsPart() {
        sees(SELF, B);

        assertThat(all()).containsOnlyKeys(C);
    }

    @Test
    void nodeThatDrainedBeforeItLeftIsNotNamed() {
        heartbeats(NodeState.DRAINING, NodeState.READY);
        sees(SELF);

        assertThat(all()).containsOnlyKeys(C);
    }

    @Test
    void nodeThatTheDatabaseShowsSilentOrOutOfServiceIsNotNamed() {
        sees(SELF);
        reads(row(B, NodeState.READY, 5_999), row(C, NodeState.READY, 0));
        assertThat(all()).containsOnlyKeys(B, C);

        reads(row(B, NodeState.READY, 6_000), row(C, NodeState.JOINING, 0));

        assertThat(all()).isEmpty();
    }

    @Test
    void nodeThatIsBackIsForgottenAlsoAsAnotherRun() {
        sees(SELF);
        sees(SELF, new NodeId(B.address(), 2), C);
        view = List.of(SELF);

        assertThat(all()).isEmpty();
    }

    @Test
    void heartbeatInTheDatabaseContainsTheNumberOfClients() {
        sees(SELF);
        for (int i = 0; i < 3; i++) {
            nanos += Duration.ofSeconds(2).toNanos();
            reads(row(B, NodeState.READY, 0), row(C, NodeState.READY, 0));
        }

        assertThat(all()).containsOnly(Map.entry(B, 5L), Map.entry(C, 5L));
    }
}

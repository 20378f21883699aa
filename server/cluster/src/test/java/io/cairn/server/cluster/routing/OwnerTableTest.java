package io.cairn.server.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OwnerTableTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.0.0.3:8848", 1);
    private static final List<InstanceKey> INSTANCES = IntStream.range(1, 200)
            .mapToObj(port -> new InstanceKey("10.1.0.1", port, "DEFAULT"))
            .toList();

    private final ClientOwnership ownership = new ClientOwnership(A.address());
    private final OwnerTable owners = new OwnerTable(A, ownership);

    private Set<NodeId> all() {
        return INSTANCES.stream().map(owners::ownerOf).collect(Collectors.toSet());
    }

    private boolean checksAny() {
        return INSTANCES.stream().anyMatch(each -> owners.isOwn(SERVICE, each));
    }

    @Test
    void ownsClientsAndChecksNothingUntilMembersAreKnown() {
        assertThat(all()).containsExactly(A);
        assertThat(checksAny()).isFalse();
        assertThat(owners.membersAre(Map.of(A, NodeState.READY))).isTrue();
        assertThat(all()).containsExactly(A);
        assertThat(INSTANCES).allMatch(each -> owners.isOwn(SERVICE, each));
    }

    @Test
    void nodesThatAreReadyAreTheOwners() {
        owners.membersAre(Map.of(A, NodeState.READY, B, NodeState.READY, C, NodeState.JOINING));
        assertThat(all()).containsExactlyInAnyOrder(A, B);
        owners.membersAre(Map.of(A, NodeState.JOINING, B, NodeState.READY, C, NodeState.ISOLATED));
        assertThat(all()).containsExactly(B);
        assertThat(checksAny()).isFalse();
        assertThat(ownership.ownerOf("10.1.0.1:80#true")).isEqualTo(B.address());
    }

    @Test
    void nodesOfTheSmallerPartOfASplitGroupContinueTogether() {
        owners.membersAre(Map.of(A, NodeState.ISOLATED, B, NodeState.ISOLATED, C, NodeState.DRAINING));
        assertThat(all()).containsExactlyInAnyOrder(A, B);
        assertThat(checksAny()).isTrue();
        owners.membersAre(Map.of(A, NodeState.DRAINING, C, NodeState.DRAINING));
        assertThat(all()).containsExactly(A);
    }

    @Test
    void reportsWhetherOwnersHaveChanged() {
        Map<NodeId, NodeState> two = Map.of(A, NodeState.READY, B, NodeState.READY);
        assertThat(owners.membersAre(two)).isTrue();
        assertThat(owners.membersAre(two)).isFalse();
        assertThat(owners.membersAre(Map.of(A, NodeState.READY, B, NodeState.READY, C, NodeState.JOINING)))
                .isFalse();
        NodeId again = new NodeId(B.address(), 2);
        assertThat(owners.membersAre(Map.of(A, NodeState.READY, B, NodeState.READY, again, NodeState.READY)))
                .isTrue();
        assertThat(all()).containsExactlyInAnyOrder(A, again);
    }
}

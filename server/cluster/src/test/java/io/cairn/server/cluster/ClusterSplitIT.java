package io.cairn.server.cluster;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.replication.OwnLog;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three nodes in one JVM, whose group is cut into two parts by JGroups, while all of them reach the table of nodes. */
@Tag("full")
class ClusterSplitIT {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    /** Nodes on a busy machine that are slow for a moment must not exclude each other. */
    private static final Duration FAILURE_TIMEOUT = PATIENCE.dividedBy(6);

    private final SharedNodeTable rows = new SharedNodeTable();
    private final List<GroupNode> groups = new ArrayList<>();
    private final List<RegistryNode> nodes = new ArrayList<>();
    private final Queue<String> shorter = new ConcurrentLinkedQueue<>();
    private final Queue<String> outOfService = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < 3; i++) {
            groups.add(GroupNode.withFailureTimeout(GroupNode.freeAddress(), FAILURE_TIMEOUT));
        }
        List<MemberAddress> members = groups.stream()
                .map(group -> new MemberAddress("127.0.0.1", group.address.getPort(), group.address.getPort()))
                .toList();
        for (GroupNode group : groups) {
            RegistryNode node =
                    new RegistryNode(group.id, members, group.channel, rows, new FixedServer(1, ""), Clock.systemUTC());
            nodes.add(node);
            node.start();
        }
        awaitStates(NodeState.READY, NodeState.READY, NodeState.READY);
    }

    @AfterEach
    void close() {
        nodes.forEach(RegistryNode::close);
        groups.forEach(GroupNode::close);
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(50));
    }

    private NodeState state(int node) {
        return nodes.get(node).cluster.self().state();
    }

    private void awaitStates(NodeState... states) {
        soon().untilAsserted(
                        () -> assertThat(List.of(state(0), state(1), state(2))).containsExactly(states));
    }

    private int listed(int node) {
        return nodes.get(node).naming.reads().instances(SERVICE).size();
    }

    private void awaitListed(int expected, int... where) {
        for (int node : where) {
            soon().untilAsserted(
                            () -> assertThat(listed(node)).as("node %d", node).isEqualTo(expected));
        }
    }

    /** From now on each list that has fewer instances is recorded. */
    private void recordListsShorterThan(int size) {
        for (int i = 0; i < nodes.size(); i++) {
            int node = i;
            nodes.get(i).naming.registry().follow((service, presence) -> {
                if (listed(node) < size) {
                    shorter.add("node " + node + " lists " + listed(node) + ", in the state " + state(node));
                }
            });
        }
    }

    private void recordWhenOutOfService(int... which) {
        for (int node : which) {
            NodeId id = nodes.get(node).id;
            nodes.get(node).cluster.followMembers((states, peers) -> {
                String reason = String.valueOf(nodes.get(node).cluster.notReadyBecause());
                // A busy machine may stop the process for a moment.
                if (states.get(id) != NodeState.READY && !reason.contains("did not run")) {
                    outOfService.add("node " + node + " is " + states.get(id) + ": " + reason);
                }
            });
        }
    }

    private void split(int alone) {
        for (int i = 0; i < groups.size(); i++) {
            if (i != alone) {
                groups.get(i).ignore(groups.get(alone));
                groups.get(alone).ignore(groups.get(i));
            }
        }
    }

    @Test
    void bothPartsServeAllInstancesAndTheSmallerOneIsIsolatedUntilTheSplitHeals() {
        for (int i = 0; i < 3; i++) {
            nodes.get(i).register("connection-" + i, SERVICE, Instance.of("10.0.0." + i, 8080));
        }
        awaitListed(3, 0, 1, 2);
        recordListsShorterThan(3);
        recordWhenOutOfService(0, 1);

        split(2);
        awaitStates(NodeState.READY, NodeState.READY, NodeState.ISOLATED);

        assertThat(nodes.get(2).cluster.notReadyBecause())
                .startsWith("ISOLATED: ")
                .contains(nodes.get(0).id.address(), nodes.get(1).id.address(), "check the ports between the nodes");
        assertThat(nodes.get(0).cluster.notReadyBecause()).isNull();
        assertThat(nodes.get(1).cluster.notReadyBecause()).isNull();
        assertThat(nodes.get(2).cluster.othersForClients()).containsOnlyKeys(nodes.get(0).id, nodes.get(1).id);
        soon().untilAsserted(() ->
                assertThat(nodes.get(0).cluster.othersForClients()).containsOnlyKeys(nodes.get(1).id));

        nodes.get(0).register("connection-3", SERVICE, Instance.of("10.0.0.3", 8080));
        nodes.get(2).register("connection-4", SERVICE, Instance.of("10.0.0.4", 8080));
        awaitListed(4, 0, 1, 2);

        groups.forEach(GroupNode::ignoreNobody);
        awaitListed(5, 0, 1, 2);
        awaitStates(NodeState.READY, NodeState.READY, NodeState.READY);
        assertThat(shorter).isEmpty();
        assertThat(outOfService).isEmpty();
        assertCopiesEqualTheirOwners();
    }

    private void assertCopiesEqualTheirOwners() {
        for (RegistryNode owner : nodes) {
            OwnLog.Summary own = owner.cluster.replication().summary();
            for (RegistryNode other : nodes) {
                NodeId id = owner.id;
                if (other != owner) {
                    soon().untilAsserted(() ->
                            assertThat(other.cluster.replication().copied(id)).isEqualTo(own));
                }
            }
        }
    }
}

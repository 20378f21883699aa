package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.cairn.server.node.NodeFinding;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node starts on a table of nodes that has rows of another node. */
@Tag("full")
class ClusterStartIT {

    private static final NodeId A = new NodeId("127.0.0.1:18848", 1);
    private static final NodeId B = new NodeId("127.0.0.1:18858", 1);

    private final MemoryGroup group = new MemoryGroup();
    private final MemoryGroup apart = new MemoryGroup();
    private final SharedNodeTable rows = new SharedNodeTable();
    private final Deque<RegistryNode> open = new ArrayDeque<>();
    private final Queue<NodeState> states = new ConcurrentLinkedQueue<>();

    @AfterEach
    void closeAll() {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private RegistryNode node(NodeId id, MemoryGroup in) {
        List<MemberAddress> members = List.of(
                new MemberAddress("127.0.0.1", A.httpPort(), A.httpPort()),
                new MemberAddress("127.0.0.1", B.httpPort(), B.httpPort()));
        RegistryNode node =
                new RegistryNode(id, members, in.channel(id), rows, new FixedServer(7, "key-1"), Clock.systemUTC());
        open.push(node);
        return node;
    }

    /** Starts A, which is in service before B has a row: otherwise each would wait for the other. */
    private RegistryNode startFirst() {
        RegistryNode first = node(A, group);
        first.start();
        await().until(() -> first.cluster.self().state() == NodeState.READY);
        return first;
    }

    /** Records the states of B from now on. */
    private void follow(RegistryNode node) {
        node.cluster.followMembers((all, peers) -> states.add(all.get(B)));
    }

    @Test
    void isNotInServiceWhileItHasNotMetANodeThatIsAlive() {
        startFirst();
        RegistryNode node = node(B, apart);
        follow(node);

        node.start();

        await().untilAsserted(() -> assertThat(node.cluster.self().state()).isEqualTo(NodeState.ISOLATED));
        assertThat(node.cluster.notReadyBecause())
                .contains("does not reach " + A.address(), "check the ports between the nodes");
        assertThat(states).contains(NodeState.JOINING).doesNotContain(NodeState.READY);
        assertThat(node.cluster.findings())
                .extracting(NodeFinding::node, NodeFinding::cause)
                .containsExactly(tuple(A.address(), NodeFinding.Cause.GROUP_PORT_UNREACHED));
    }

    @Test
    void namesTheKeyWhereThatKeepsItFromMeetingTheOthers() {
        RegistryNode other = startFirst();
        group.otherKeys.add(new InetSocketAddress("127.0.0.1", B.httpPort()));
        apart.otherKeys.add(new InetSocketAddress("127.0.0.1", A.httpPort()));
        RegistryNode node = node(B, apart);
        follow(node);

        node.start();

        await().untilAsserted(() -> assertThat(node.cluster.self().state()).isEqualTo(NodeState.ISOLATED));
        assertThat(node.cluster.notReadyBecause()).contains("cairn.cluster.key").doesNotContain("ports");
        assertThat(states).doesNotContain(NodeState.READY);
        assertKeyDiffers(node, A);
        assertKeyDiffers(other, B);
    }

    private static void assertKeyDiffers(RegistryNode node, NodeId from) {
        await().untilAsserted(() -> assertThat(node.cluster.findings())
                .filteredOn(finding -> finding.node().equals(from.address()))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.cause()).isEqualTo(NodeFinding.Cause.GROUP_KEY_DIFFERS);
                    assertThat(finding.detail()).contains("set cairn.cluster.key to the same value on all nodes");
                }));
    }

    /** Its row is there for a minute. */
    @Test
    void doesNotWaitForANodeThatHasDied() {
        rows.beat(new NodeTable.Row(
                A, A.httpPort(), 9848, "test", 1, NodeState.READY.name(), List.of(A.address()), 1, 0, 1));
        RegistryNode node = node(B, apart);
        follow(node);

        node.start();

        await().untilAsserted(() -> assertThat(node.cluster.notReadyBecause()).isNull());
        assertThat(states).doesNotContain(NodeState.ISOLATED);
        assertThat(node.cluster.findings())
                .extracting(NodeFinding::cause)
                .containsExactly(NodeFinding.Cause.NOT_RUNNING);
    }

    @Test
    void isInServiceWhenItHasMetTheOther() {
        node(A, group).start();
        RegistryNode node = node(B, group);

        node.start();

        await().untilAsserted(() -> assertThat(node.cluster.notReadyBecause()).isNull());
        assertThat(node.cluster.findings()).isEmpty();
    }
}

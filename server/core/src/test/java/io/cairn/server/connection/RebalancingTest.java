package io.cairn.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeOperations;
import io.cairn.server.node.NodeState;
import io.cairn.server.push.PushBudget;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RebalancingTest {

    private static final Duration CALM = Duration.ofSeconds(30);
    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.0.0.3:8848", 1);
    private static final NodeId D = new NodeId("10.0.0.4:8848", 1);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final Map<NodeId, Node> nodes = new LinkedHashMap<>();
    private boolean clientsFollow = true;

    /** A node, whose clients connect to the node that they are sent to. */
    private final class Node {

        final NodeId id;
        final ConnectionRegistry connections = new ConnectionRegistry(
                new ConnectionSettings(Duration.ofDays(1), Duration.ofSeconds(5), 10_000),
                10,
                new PushBudget(1_000_000),
                new RequestIds(),
                loop,
                "127.0.0.1");
        final Rebalancing rebalancing;
        NodeState state = NodeState.READY;
        private int opened;

        Node(NodeId id, boolean isAutomatic) {
            this.id = id;
            this.rebalancing = new Rebalancing(connections, id, isAutomatic, CALM, loop::nanoTime);
        }

        void open(int clients) {
            for (int i = 0; i < clients; i++) {
                ClientConnection[] self = new ClientConnection[1];
                self[0] = new ClientConnection(
                        id.address() + '-' + opened++,
                        new ClientIdentity("10.1.0.1", "", "", Map.of()),
                        FakeTransport.of(loop, payload -> follow(payload, self[0])),
                        connections);
                assertThat(connections.register(self[0])).isTrue();
            }
        }

        /** The client follows a request to move, unless clients stay. */
        private void follow(Payload request, ClientConnection client) {
            Node target = nodes.values().stream()
                    .filter(node -> request.bodyText().contains('"' + node.id.host() + '"'))
                    .findFirst()
                    .orElseThrow();
            if (clientsFollow) {
                connections.closed(client);
                target.open(1);
            }
        }

        int clients() {
            return connections.size();
        }

        void look() {
            Map<NodeId, NodeState> states = new HashMap<>();
            Map<NodeId, Long> loads = new HashMap<>();
            nodes.values().forEach(each -> {
                states.put(each.id, each.state);
                if (each != this && each.state == NodeState.READY) {
                    loads.put(each.id, (long) each.clients());
                }
            });
            rebalancing.members(states, loads);
        }
    }

    private Node node(NodeId id, int clients) {
        Node node = new Node(id, true);
        nodes.put(id, node);
        node.open(clients);
        return node;
    }

    private List<Integer> clients() {
        return nodes.values().stream().map(Node::clients).toList();
    }

    private long moves() {
        return nodes.values().stream()
                .mapToLong(node -> node.connections.moves())
                .sum();
    }

    /**
     * All nodes check their members every second. Clients that a node sends away arrive after all nodes have checked.
     */
    private void pass(Duration time) throws Exception {
        for (int second = 0; second < time.toSeconds(); second++) {
            nodes.values().forEach(Node::look);
            loop.run();
            loop.pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void joinedNodeGetsItsShareWhenTheGroupIsStable() throws Exception {
        node(A, 150);
        node(B, 150);
        node(C, 0);

        pass(CALM);
        assertThat(clients()).containsExactly(150, 150, 0);
        pass(Duration.ofSeconds(1));

        assertThat(clients()).containsExactly(100, 100, 100);
        pass(Duration.ofMinutes(10));
        assertThat(moves()).as("and nothing more").isEqualTo(100);
    }

    @Test
    void severalNodesTogetherSendNoMoreThanIsLacking() throws Exception {
        node(A, 170);
        node(B, 130);
        node(C, 60);
        node(D, 40);

        pass(CALM.plusSeconds(2));

        assertThat(clients()).containsExactly(100, 100, 100, 100);
        assertThat(moves()).isEqualTo(100);
    }

    @Test
    void clientsMoveAHundredASecond() throws Exception {
        Node full = node(A, 1_000);
        node(B, 0);

        pass(CALM.plusSeconds(1));
        assertThat(full.clients()).isEqualTo(900);
        pass(Duration.ofSeconds(1));
        assertThat(full.clients()).isEqualTo(800);
        pass(Duration.ofSeconds(10));

        assertThat(clients()).containsExactly(500, 500);
    }

    @Test
    void aSmallDifferenceIsLeftAlone() throws Exception {
        node(A, 110);
        node(B, 90);
        pass(CALM.plusMinutes(5));
        assertThat(moves()).isZero();

        nodes.clear();
        node(A, 4);
        node(B, 0);
        pass(CALM.plusMinutes(5));
        assertThat(moves()).as("two more than the average").isZero();
    }

    @Test
    void eachChangeOfAMemberBeginsTheWaitAgainAndEndsTheWaves() throws Exception {
        Node full = node(A, 1_000);
        Node other = node(B, 0);
        node(C, 500);
        pass(CALM.minusSeconds(1));
        other.state = NodeState.DRAINING;
        pass(CALM.minusSeconds(1));
        other.state = NodeState.READY;
        pass(CALM);
        assertThat(full.clients()).isEqualTo(1_000);

        pass(Duration.ofSeconds(2));
        assertThat(full.clients()).isEqualTo(800);
        other.state = NodeState.DRAINING;
        pass(CALM);

        assertThat(full.clients()).as("no wave after the change").isEqualTo(800);
    }

    @Test
    void nodeOutOfServiceNeitherMovesNorReceivesClients() throws Exception {
        Node drained = node(A, 900);
        drained.state = NodeState.DRAINING;
        node(B, 100);
        node(C, 100);

        pass(CALM.plusSeconds(20));

        assertThat(clients()).containsExactly(900, 100, 100);
        assertThat(drained.rebalancing.begin(0)).isZero();
    }

    @Test
    void endsWhenClientsDoNotFollow() throws Exception {
        clientsFollow = false;
        Node full = node(A, 90);
        Node other = node(B, 0);

        pass(CALM.plusMinutes(60));
        // No client is asked twice within a minute, which does not pass here, so a round asks those that are left.
        long asked = moves();
        assertThat(asked).isBetween(45L, 45L * Rebalancing.FRUITLESS);
        pass(Duration.ofMinutes(60));
        assertThat(moves()).isEqualTo(asked);

        other.state = NodeState.JOINING;
        pass(Duration.ofSeconds(1));
        other.state = NodeState.READY;
        full.open(10);
        pass(CALM.plusSeconds(2));
        assertThat(moves()).isEqualTo(asked + 10);
    }

    @Test
    void anOperatorDoesNotWaitAndNamesTheTolerance() throws Exception {
        Node full = node(A, 110);
        node(B, 90);
        pass(Duration.ofSeconds(1));
        assertThat(full.rebalancing.begin(NodeOperations.TOLERANCE)).isZero();

        assertThat(full.rebalancing.begin(0.05)).isEqualTo(10);
        loop.run();

        assertThat(clients()).containsExactly(100, 100);
    }

    @Test
    void doesNothingByItselfWhenItIsSwitchedOff() throws Exception {
        Node full = new Node(A, false);
        nodes.put(A, full);
        full.open(100);
        node(B, 0);

        pass(CALM.plusMinutes(1));
        assertThat(full.clients()).isEqualTo(100);

        assertThat(full.rebalancing.begin(NodeOperations.TOLERANCE)).isEqualTo(50);
    }

    @Test
    void aSingleNodeKeepsItsClients() throws Exception {
        Node alone = node(A, 100);
        pass(CALM.plusMinutes(1));
        assertThat(alone.rebalancing.begin(0)).isZero();
        assertThat(new ArrayList<>(clients())).containsExactly(100);
    }
}

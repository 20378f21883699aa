package io.cairn.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.push.PushBudget;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EvacuationMovesTest {

    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8850", 1);

    private static final int DRAIN_RATE = 1_000;

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofDays(1), Duration.ofSeconds(5), 10_000),
            10,
            new PushBudget(1_000_000),
            new RequestIds(),
            loop,
            "127.0.0.1");
    private final List<ClientConnection> opened = new ArrayList<>();
    private final Map<String, List<String>> sent = new HashMap<>();
    private Map<NodeId, Long> inService = new TreeMap<>(Map.of(A, 0L, B, 0L));
    private boolean isTakenForDead;
    private final EvacuationMoves moves =
            new EvacuationMoves(registry, () -> inService, () -> isTakenForDead, DRAIN_RATE, loop::nanoTime);

    private FakeTransport transport(String client) {
        return FakeTransport.of(loop, payload -> sent.computeIfAbsent(client, absent -> new ArrayList<>())
                .add(payload.type() + payload.bodyText()));
    }

    private void open(int connections) {
        for (int i = 0; i < connections; i++) {
            String id = "client-" + opened.size();
            ClientConnection connection =
                    new ClientConnection(id, new ClientIdentity("10.1.0.1", "", "", Map.of()), transport(id), registry);
            assertThat(registry.register(connection)).isTrue();
            opened.add(connection);
        }
    }

    private void state(NodeState state) {
        moves.state(state);
        loop.run();
    }

    private void isolatedFor(int seconds) throws Exception {
        for (int i = 0; i < seconds; i++) {
            loop.pass(Duration.ofSeconds(1));
            state(NodeState.ISOLATED);
        }
    }

    private long asked() {
        return opened.stream().filter(ClientConnection::isAskedToMove).count();
    }

    private long messages() {
        return sent.values().stream().mapToInt(List::size).sum();
    }

    @Test
    void asksEachClientOnceAndTwoHundredASecond() throws Exception {
        open(450);

        state(NodeState.ISOLATED);
        assertThat(asked()).isEqualTo(200);
        state(NodeState.ISOLATED);
        assertThat(asked()).as("in the same second").isEqualTo(200);
        isolatedFor(1);
        assertThat(asked()).isEqualTo(400);
        isolatedFor(1);
        assertThat(asked()).isEqualTo(450);

        isolatedFor(120);
        assertThat(messages()).isEqualTo(450);
    }

    @Test
    void spreadsClientsOverTheNodesInService() {
        open(10);

        state(NodeState.ISOLATED);

        List<String> all = sent.values().stream().flatMap(List::stream).toList();
        assertThat(all).allSatisfy(message -> assertThat(message).startsWith("ConnectResetRequest"));
        assertThat(all)
                .filteredOn(message -> message.contains("\"serverIp\":\"10.0.0.1\",\"serverPort\":\"8848\""))
                .hasSize(5);
        assertThat(all)
                .filteredOn(message -> message.contains("\"serverIp\":\"10.0.0.2\",\"serverPort\":\"8850\""))
                .hasSize(5);
    }

    @Test
    void namesNoNodeWhenNoneIsKnown() {
        inService = Map.of();
        open(1);

        state(NodeState.ISOLATED);

        assertThat(sent.get("client-0")).singleElement().asString().contains("\"serverIp\":\"\"");
    }

    @Test
    void asksNoClientInAnotherState() throws Exception {
        open(1);
        for (NodeState state : NodeState.values()) {
            if (state != NodeState.ISOLATED && state != NodeState.DRAINING) {
                state(state);
            }
        }
        assertThat(messages()).isZero();
    }

    @Test
    void stopsWithTheStateAndStartsAgainInTheNextIsolation() throws Exception {
        open(300);
        state(NodeState.ISOLATED);
        loop.pass(Duration.ofSeconds(1));
        state(NodeState.JOINING);
        loop.pass(Duration.ofSeconds(1));
        state(NodeState.READY);
        assertThat(asked()).isEqualTo(200);

        isolatedFor(2);

        assertThat(asked()).isEqualTo(300);
        assertThat(messages()).as("each once in each isolation").isEqualTo(500);
    }

    @Test
    void asksClientsThatConnectMeanwhileAfterHalfAMinute() throws Exception {
        open(1);
        state(NodeState.ISOLATED);
        open(1);

        isolatedFor(29);
        assertThat(messages()).isEqualTo(1);
        isolatedFor(1);
        assertThat(sent.get("client-1")).hasSize(1);
        assertThat(messages()).isEqualTo(2);
    }

    /** The others end the instances of its clients 15 s after they have lost it. */
    @Test
    void hurriesWhileTheOthersTakeTheNodeForDead() throws Exception {
        isTakenForDead = true;
        open(DRAIN_RATE + 1);
        state(NodeState.ISOLATED);
        assertThat(asked()).isEqualTo(DRAIN_RATE);
        isolatedFor(1);
        open(1);

        isolatedFor(3);
        assertThat(messages()).isEqualTo(DRAIN_RATE + 1);
        isolatedFor(1);
        assertThat(messages()).as("the client that came back as well").isEqualTo(DRAIN_RATE + 2);
        isolatedFor(20);
        assertThat(messages()).as("each connection once").isEqualTo(DRAIN_RATE + 2);
    }

    @Test
    void connectionsThatHaveEndedTakeNoPlaceInASecond() throws Exception {
        open(500);
        state(NodeState.ISOLATED);
        opened.stream()
                .filter(connection -> !connection.isAskedToMove())
                .limit(200)
                .toList()
                .forEach(registry::closed);

        isolatedFor(1);

        assertThat(asked()).isEqualTo(300);
    }

    private long sentTo(NodeId node) {
        return sent.values().stream()
                .flatMap(List::stream)
                .filter(message -> message.contains(
                        "\"serverIp\":\"" + node.host() + "\",\"serverPort\":\"" + node.httpPort() + '"'))
                .count();
    }

    @Test
    void aDrainAsksInWavesOfItsRate() throws Exception {
        open(DRAIN_RATE + 500);

        state(NodeState.DRAINING);
        assertThat(asked()).isEqualTo(DRAIN_RATE);
        state(NodeState.DRAINING);
        assertThat(asked()).as("in the same second").isEqualTo(DRAIN_RATE);
        loop.pass(Duration.ofSeconds(1));
        state(NodeState.DRAINING);

        assertThat(asked()).isEqualTo(DRAIN_RATE + 500);
    }

    @Test
    void nodesWithFewerClientsGetMoreOfThem() throws Exception {
        inService = Map.of(A, 100L, B, 300L);
        open(400);

        state(NodeState.DRAINING);

        assertThat(sentTo(A)).isEqualTo(300);
        assertThat(sentTo(B)).isEqualTo(100);
    }

    @Test
    void sendsNoClientToNodeThatIsLeaving() throws Exception {
        open(DRAIN_RATE + 100);
        state(NodeState.DRAINING);
        inService = Map.of(B, 0L);
        loop.pass(Duration.ofSeconds(1));

        state(NodeState.DRAINING);

        assertThat(sentTo(A)).isEqualTo(DRAIN_RATE / 2);
        assertThat(sentTo(B)).isEqualTo(DRAIN_RATE / 2 + 100);
    }

    @Test
    void drainAsksRemainingClientsAgain() throws Exception {
        open(3);
        state(NodeState.DRAINING);
        registry.closed(opened.get(0));

        loop.pass(EvacuationMoves.DRAIN_ROUND.minusMillis(1));
        state(NodeState.DRAINING);
        assertThat(messages()).isEqualTo(3);
        loop.pass(Duration.ofMillis(1));
        state(NodeState.DRAINING);

        assertThat(messages()).isEqualTo(5);
    }

    @Test
    void anIsolatedNodeThatDrainsGoesOnAtTheRateOfTheDrain() {
        open(700);
        state(NodeState.ISOLATED);
        assertThat(asked()).isEqualTo(200);

        state(NodeState.DRAINING);

        assertThat(asked()).isEqualTo(700);
        assertThat(registry.moves()).isEqualTo(900);
        assertThat(registry.moves(MoveReason.ISOLATED)).isEqualTo(200);
        assertThat(registry.moves(MoveReason.DRAINING)).isEqualTo(700);
    }
}

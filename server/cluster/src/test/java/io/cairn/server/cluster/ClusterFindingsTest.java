package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.cluster.replication.OwnLog;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeFinding;
import io.cairn.server.node.NodeFinding.Kind;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeStatus.Presence;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterFindingsTest {

    private static final NodeId A = new NodeId("127.0.0.1:18848", 1);
    private static final NodeId B = new NodeId("127.0.0.1:18858", 1);
    private static final FixedServer SERVER = new FixedServer(7, "key-1");
    private static final Clock CLOCK = Clock.systemUTC();

    private final MemoryGroup group = new MemoryGroup();
    private final SharedNodeTable rows = new SharedNodeTable();
    private final Deque<RegistryNode> open = new ArrayDeque<>();

    @AfterEach
    void closeAll() {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private ClusterNode start(NodeId id, LocalServer server, Clock clock) {
        List<MemberAddress> members = List.of(
                new MemberAddress("127.0.0.1", A.httpPort(), A.httpPort()),
                new MemberAddress("127.0.0.1", B.httpPort(), B.httpPort()));
        RegistryNode node = new RegistryNode(id, members, group.channel(id), rows, server, clock);
        open.push(node);
        node.start();
        return node.cluster;
    }

    private static void awaitHeard(ClusterNode node, NodeId other) {
        await().untilAsserted(() -> assertThat(status(node, other).seenAt()).isPositive());
    }

    private static NodeStatus status(ClusterNode node, NodeId of) {
        return node.all().stream()
                .filter(each -> each.address().equals(of.address()))
                .findFirst()
                .orElseThrow();
    }

    private static void assertFinding(ClusterNode node, Kind kind, NodeId about, String... words) {
        await().untilAsserted(() -> assertThat(node.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo(kind);
            assertThat(finding.node()).isEqualTo(about.address());
            assertThat(finding.detail()).contains(words);
        }));
    }

    @Test
    void nodesThatAgreeHaveNoFindings() {
        ClusterNode a = start(A, SERVER, CLOCK);
        ClusterNode b = start(B, SERVER, CLOCK);
        awaitHeard(a, B);
        awaitHeard(b, A);

        await().untilAsserted(() -> assertThat(a.findings()).isEmpty());
        await().untilAsserted(() -> assertThat(b.findings()).isEmpty());
    }

    @Test
    void otherKeysAreAnUrgentFindingOnBothNodes() {
        ClusterNode a = start(A, SERVER, CLOCK);
        ClusterNode b = start(B, new FixedServer(7, "key-2"), CLOCK);

        assertFinding(a, Kind.KEYS_DIFFER, B, "set the same key on all nodes");
        assertFinding(b, Kind.KEYS_DIFFER, A, "set the same key on all nodes");
        assertThat(a.findings()).allMatch(NodeFinding::isUrgent);
    }

    @Test
    void keysThatAreNotKnownYetAreNoFinding() {
        ClusterNode a = start(A, SERVER, CLOCK);
        ClusterNode b = start(B, new FixedServer(7, ""), CLOCK);
        awaitHeard(a, B);
        awaitHeard(b, A);

        await().untilAsserted(() -> assertThat(a.findings()).isEmpty());
        await().untilAsserted(() -> assertThat(b.findings()).isEmpty());
    }

    @Test
    void otherSettingsAreAFindingOnBothNodes() {
        ClusterNode a = start(A, SERVER, CLOCK);
        ClusterNode b = start(B, new FixedServer(8, "key-1"), CLOCK);

        assertFinding(a, Kind.SETTINGS_DIFFER, B, "conf/application.properties");
        assertFinding(b, Kind.SETTINGS_DIFFER, A, "conf/application.properties");
    }

    @Test
    void aClockThatIsAheadIsAFindingOfTheOtherNode() {
        ClusterNode a = start(A, SERVER, CLOCK);
        ClusterNode b = start(B, SERVER, Clock.offset(CLOCK, Duration.ofMinutes(2)));

        assertFinding(a, Kind.CLOCK_OFF, B, "more than 60 s ahead", "set the clocks");
        awaitHeard(b, A);
        await().untilAsserted(() -> assertThat(b.findings()).isEmpty());
    }

    @Test
    void aCopyThatHasDifferedIsAFindingAboutItsOwner() {
        start(A, SERVER, CLOCK);
        ClusterNode b = start(B, SERVER, CLOCK);
        await().untilAsserted(
                        () -> assertThat(b.copies()).singleElement().satisfies(copy -> assertThat(copy.digestsEqual())
                                .isTrue()));
        assertThat(b.findings()).isEmpty();

        OwnLog.Summary copied = Objects.requireNonNull(b.replication().copied(A));
        ClusterMessage.Heartbeat other = new ClusterMessage.Heartbeat(
                1, copied.sequence(), copied.count(), ~copied.digest(), NodeState.READY, CLOCK.millis(), 1, 0, 0);
        b.replication().message(A, new ClusterCodec().encode(other));

        assertFinding(b, Kind.COPIES_DIFFER, A, "it has sent all of it again", "report this");
    }

    @Test
    void clockThatIsAheadDoesNotMakeOtherNodesSilent() {
        start(A, SERVER, CLOCK);
        ClusterNode b = start(B, SERVER, Clock.offset(CLOCK, Duration.ofMinutes(2)));

        // A row of the database may be seen before the group.
        await().untilAsserted(() -> assertThat(status(b, A).presence()).isEqualTo(Presence.PRESENT));
    }

    @Test
    void aListedNodeThatDoesNotRunIsAFinding() {
        ClusterNode a = start(A, SERVER, CLOCK);

        assertFinding(a, Kind.NODE_AWAY, B, "nacos.member.list names it, and it does not run");
        assertThat(a.findings()).extracting(NodeFinding::cause).containsExactly(NodeFinding.Cause.NOT_RUNNING);
    }
}

package io.cairn.server.storage.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.Circuit;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The heartbeats of nodes, by the clock of whatever database they are in. */
abstract class NodeTableContract {

    private static final NodeId SELF = new NodeId("10.0.0.1:8848", 1_700_000_000_000L);
    private static final NodeId OTHER = new NodeId("10.0.0.2:8848", 1_700_000_000_001L);

    @TempDir
    Path folder;

    private final List<Connection> opened = new ArrayList<>();
    private final Circuit circuit = new Circuit("The database");
    private TestStore store;
    private JdbcNodeTable nodes;

    /** A database whose schema is up to date and whose tables are empty. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        TestDatabase database = freshDatabase(folder);
        store = TestStore.start(database);
        nodes = new JdbcNodeTable(
                () -> {
                    Connection connection = database.writer().open();
                    opened.add(connection);
                    return connection;
                },
                database.dialect(),
                circuit);
    }

    @AfterEach
    void close() {
        nodes.close();
        store.close();
    }

    private static NodeTable.Row row(NodeId node, String state) {
        return new NodeTable.Row(
                node,
                9849,
                9848,
                "1.2.3",
                1,
                state,
                List.of("10.0.0.1:8848", "10.0.0.2:8848"),
                77,
                5,
                1_699_999_999_999L);
    }

    /** Lets time pass for the row of a node. */
    private void age(NodeId node, Duration by) {
        store.byHand(
                "UPDATE cairn_node SET heartbeat_at = heartbeat_at - ? WHERE address = ?",
                by.toMillis(),
                node.address());
    }

    @Test
    void aHeartbeatStoresTheNodesStateAndReplacesTheFormerOne() {
        // Again where this machine paused for so long that the heartbeat was an old one.
        await().untilAsserted(() -> {
            assertThat(nodes.beat(row(SELF, "JOINING"))).isTrue();
            assertThat(nodes.recentNodes()).singleElement().satisfies(node -> {
                assertThat(node.row()).isEqualTo(row(SELF, "JOINING"));
                assertThat(node.isBeating()).isTrue();
            });
        });

        age(SELF, Duration.ofSeconds(5));
        assertThat(nodes.recentNodes()).singleElement().satisfies(node -> assertThat(node.age())
                .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(50)));
        await().untilAsserted(() -> {
            assertThat(nodes.beat(row(SELF, "READY"))).isTrue();
            assertThat(nodes.beat(row(OTHER, "READY"))).isTrue();
            assertThat(nodes.recentNodes()).allMatch(NodeTable.Heartbeat::isBeating);
        });
        assertThat(nodes.recentNodes())
                .extracting(NodeTable.Heartbeat::row)
                .containsExactly(row(SELF, "READY"), row(OTHER, "READY"));
    }

    @Test
    void silentNodeStopsBeatingThenIsNotRecentThenIsRemoved() {
        nodes.beat(row(SELF, "READY"));
        nodes.beat(row(OTHER, "READY"));

        age(OTHER, Duration.ofSeconds(6));
        await().untilAsserted(() -> {
            nodes.beat(row(SELF, "READY"));
            assertThat(nodes.recentNodes())
                    .filteredOn(NodeTable.Heartbeat::isBeating)
                    .extracting(node -> node.row().node())
                    .containsExactly(SELF);
        });
        assertThat(nodes.recentNodes()).hasSize(2);

        age(OTHER, Duration.ofMinutes(1));
        assertThat(nodes.recentNodes()).extracting(node -> node.row().node()).containsExactly(SELF);
        assertThat(nodes.forgetSilent()).isZero();

        age(OTHER, Duration.ofDays(1));
        assertThat(nodes.forgetSilent()).isEqualTo(1);
        assertThat(store.query("SELECT address FROM cairn_node")).containsExactly(List.of(SELF.address()));
    }

    @Test
    void aLaterRunTakesTheRowAndTheEarlierOneIsNotified() {
        NodeId later = new NodeId(SELF.address(), SELF.incarnation() + 1);
        nodes.beat(row(SELF, "READY"));

        assertThat(nodes.beat(row(later, "JOINING"))).isTrue();
        // However long this machine pauses, the row is not that of a silent node.
        age(later, Duration.ofMinutes(1).negated());
        assertThat(nodes.beat(row(SELF, "READY"))).isFalse();
        nodes.remove(SELF);

        assertThat(nodes.recentNodes()).extracting(node -> node.row().node()).containsExactly(later);
    }

    @Test
    void aRunWithAnEarlierClockTakesTheRowOfOneThatIsSilent() {
        NodeId later = new NodeId(SELF.address(), SELF.incarnation() + 1);
        nodes.beat(row(later, "READY"));
        age(later, Duration.ofSeconds(8));

        assertThat(nodes.beat(row(SELF, "JOINING"))).isTrue();

        assertThat(nodes.recentNodes()).extracting(node -> node.row().node()).containsExactly(SELF);
    }

    @Test
    void aCleanStopRemovesTheOwnRow() {
        nodes.beat(row(SELF, "READY"));
        nodes.beat(row(OTHER, "READY"));

        nodes.remove(SELF);
        nodes.remove(SELF);

        assertThat(nodes.recentNodes()).extracting(node -> node.row().node()).containsExactly(OTHER);
    }

    @Test
    void ignoresARowWithoutANode() {
        nodes.beat(row(SELF, "READY"));
        store.byHand("UPDATE cairn_node SET incarnation = 0");
        nodes.beat(row(OTHER, "READY"));

        assertThat(nodes.recentNodes()).extracting(node -> node.row().node()).containsExactly(OTHER);
    }

    @Test
    void oneConnectionIsKeptAndReplacedWhenItIsBroken() throws Exception {
        nodes.beat(row(SELF, "READY"));
        nodes.recentNodes();
        assertThat(opened).hasSize(1);
        opened.get(0).close();

        assertThat(nodes.beat(row(SELF, "READY"))).isTrue();

        assertThat(opened).hasSize(2);
    }

    @Test
    void doesNotWaitForAnUnavailableDatabase() {
        nodes.beat(row(SELF, "READY"));
        circuit.open(new CairnException(ErrorCode.UNAVAILABLE, "The database is away, for a test"));

        for (Runnable call : List.<Runnable>of(
                () -> nodes.beat(row(SELF, "READY")),
                nodes::recentNodes,
                () -> nodes.remove(SELF),
                nodes::forgetSilent)) {
            assertThatThrownBy(call::run).isInstanceOfSatisfying(CairnException.class, failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(failure.text()).isEqualTo("The database is away, for a test");
            });
        }
        assertThat(opened).hasSize(1);

        circuit.close();
        assertThat(nodes.beat(row(SELF, "READY"))).isTrue();
    }
}

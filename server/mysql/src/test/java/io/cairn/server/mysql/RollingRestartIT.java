package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of a cluster notice neither that a node is drained, nor that all nodes are restarted one after the other, nor that a node is cut
 * off from the others.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RollingRestartIT {

    private static final int CLIENTS = 60;

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfServers cluster;
    private static RestartLoad load;
    private static RollingRestart restart;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(RollingRestartIT.class);
        cluster = ClusterOfServers.startCuttable(3, schema, folder, RollingRestart.settings("1s"));
        load = new RestartLoad(cluster, CLIENTS, CLIENTS, 1_000);
        restart = new RollingRestart(cluster, load, PATIENCE);
        load.begin();
    }

    @AfterAll
    static void stop() {
        if (load != null) {
            load.close();
        }
        if (cluster != null) {
            cluster.setting("cairn.cluster.drain-timeout", "0s");
            cluster.close();
        }
        schema.close();
    }

    private static String post(String path) {
        return cluster.ok("POST", 0, path).body();
    }

    @Test
    @Order(1)
    void anOperatorDrainsAnotherNodeAndTakesItBackIntoService() {
        String drained = cluster.address(1);
        assertThat(post("/nacos/v3/admin/core/cluster/node/drain?address=" + drained))
                .contains("Node " + drained + " drains", "to ");

        await().untilAsserted(() -> {
            assertThat(cluster.serverList(0)).hasSize(2).doesNotContain(drained);
            assertThat(restart.connections().stream().sorted().toList())
                    .element(0)
                    .isEqualTo(0);
        });
        await().untilAsserted(() -> assertThat(cluster.states(2)).containsEntry(drained, "SUSPICIOUS"));
        assertThat(cluster.get(1, "/nacos/v3/admin/core/state/readiness").body())
                .contains("an operator drains this node");
        assertThat(load.areAllConnected()).isTrue();

        assertThat(cluster.call("POST", 0, "/nacos/v3/admin/core/cluster/node/undrain?address=" + cluster.address(2))
                        .body())
                .contains("is not drained by an operator");
        assertThat(post("/nacos/v3/admin/core/cluster/node/undrain?address=" + drained))
                .contains("in service again");
        cluster.awaitInService();
        restart.awaitBalanced();
        restart.assertUnharmed();
    }

    @Test
    @Order(2)
    void anAddressThatNoMemberHasIsRefused() {
        var refused = cluster.call("POST", 0, "/nacos/v3/admin/core/cluster/node/drain?address=10.9.9.9:8848");

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("expected: the host:port of a member", cluster.address(2));
    }

    @Test
    @Order(3)
    void aBalancedClusterMovesNoClientForAnOperator() {
        await().pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> assertThat(post("/nacos/v3/admin/core/cluster/rebalance"))
                        .contains("No node has clients to give away"));
    }

    @Test
    @Order(4)
    void noCallFailsAndNoListIsShorterOverARollingRestart() {
        restart.run();

        restart.awaitBalanced();
        restart.assertUnharmed();
        assertThat(load.areAllConnected()).isTrue();
    }

    @Test
    @Order(5)
    void clientsOfNodeThatIsCutOffFromTheOthersMove() throws Exception {
        isCutOff("the node does not reach", () -> cluster.links().cutFromOthers(1));
    }

    /** The others take it for dead, and keep the instances of its clients for 15 s. */
    @Test
    @Order(6)
    void clientsOfNodeThatIsCutOffFromOthersAndDatabaseMove() throws Exception {
        isCutOff("the database is away", () -> {
            cluster.links().cutFromDatabase(1);
            cluster.links().cutFromOthers(1);
        });
    }

    /** An official client is at the node that is cut off, beside a third of all others. */
    private static void isCutOff(String reason, Runnable cut) throws Exception {
        String cutOff = cluster.address(1);
        try (OfficialClient official = new OfficialClient(cluster, "cut-off", 1)) {
            cut.run();
            await().untilAsserted(() -> assertThat(cluster.get(1, "/nacos/v3/admin/core/state/readiness")
                            .body())
                    .contains("ISOLATED", reason));
            await().pollInterval(Duration.ofMillis(200))
                    .untilAsserted(() -> assertThat(connectionsAt(1)).isEmpty());
            await().untilAsserted(() ->
                    assertThat(cluster.serverList(0)).doesNotContain(cutOff).hasSize(2));
            official.assertHears(0, "published-while-cut-off-" + reason.length());
            official.assertListed();
            assertThat(load.areAllConnected()).isTrue();

            cluster.links().heal();
            cluster.awaitInService();
            restart.awaitBalanced();
            official.assertHears(1, "published-after-" + reason.length());
            official.assertListed();
            restart.assertUnharmed();
        }
    }

    /** The connections of a node, as it tells them without asking the others. */
    private static List<String> connectionsAt(int node) {
        List<String> all = new ArrayList<>();
        cluster.json(node, "/nacos/v2/core/loader/current").propertyNames().forEach(all::add);
        return all;
    }
}

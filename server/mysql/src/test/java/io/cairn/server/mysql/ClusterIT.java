package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Three servers on one database are one cluster. */
@Tag("mysql")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIT {

    private static final List<Integer> NODES = List.of(0, 1, 2);

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfServers cluster;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(ClusterIT.class);
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) 7);
        cluster = ClusterOfServers.start(
                3,
                schema,
                folder,
                Map.of("cairn.cluster.key", Base64.getEncoder().encodeToString(key)));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        schema.close();
    }

    private static Map<String, String> all(String... states) {
        Map<String, String> expected = new TreeMap<>();
        for (int node : NODES) {
            expected.put(cluster.address(node), states[node]);
        }
        return expected;
    }

    @Test
    @Order(1)
    void eachNodeTellsTheSameOfAllNodes() {
        for (int node : NODES) {
            assertThat(cluster.states(node)).isEqualTo(all("UP", "UP", "UP"));
            assertThat(addresses(cluster.json(node, "/nacos/v2/core/cluster/node/list")))
                    .isEqualTo(all("UP", "UP", "UP"));
            assertThat(addresses(cluster.json(node, "/nacos/v3/admin/core/cluster/node/list?state=UP")))
                    .isEqualTo(all("UP", "UP", "UP"));
            assertThat(cluster.json(node, "/nacos/v3/admin/core/cluster/node/list?state=DOWN")
                            .get("data"))
                    .isEmpty();
            assertThat(cluster.json(node, "/nacos/v1/core/cluster/simple/nodes").get("data"))
                    .hasSize(3);
            assertThat(cluster.json(node, "/nacos/v1/ns/operator/servers").get("servers"))
                    .hasSize(3);
            assertThat(cluster.json(node, "/nacos/v1/core/cluster/self")
                            .get("data")
                            .get("address")
                            .asString())
                    .isEqualTo(cluster.address(node));
            assertThat(cluster.json(node, "/nacos/v2/core/cluster/node/self/health")
                            .get("data")
                            .asString())
                    .isEqualTo("UP");
            assertThat(cluster.serverList(node)).hasSize(3);
            assertThat(cluster.get(node, "/nacos/v1/console/health/readiness").statusCode())
                    .isEqualTo(200);
            assertThat(cluster.json(node, "/nacos/v1/console/server/state")
                            .get("startup_mode")
                            .asString())
                    .isEqualTo("cluster");
        }
    }

    @Test
    @Order(2)
    void aNodeSaysOfAnotherWhatThatOneSaysOfItself() {
        JsonNode own = details(0, 0);
        await().untilAsserted(() -> {
            JsonNode seen = details(1, 0);
            assertThat(seen.get("state").asString()).isEqualTo("READY");
            assertThat(seen.get("presence").asString()).isEqualTo("PRESENT");
            for (String equal : List.of("startedAt", "grpcPort", "groupPort")) {
                assertThat(seen.get(equal)).as(equal).isEqualTo(own.get(equal));
            }
            assertThat(seen.has("reason")).isFalse();
        });
        assertThat(findings(1)).isEmpty();
    }

    @Test
    @Order(3)
    void aNodeThatIsStoppedIsDownAndComesBackAsAnotherRun() {
        long startedBefore = details(0, 2).get("startedAt").asLong();
        cluster.stop(2);

        for (int node : List.of(0, 1)) {
            await().untilAsserted(() -> assertThat(cluster.states(node)).isEqualTo(all("UP", "UP", "DOWN")));
            assertThat(cluster.serverList(node)).containsExactly(cluster.address(0), cluster.address(1));
            assertThat(findings(node)).containsExactly("NODE_AWAY " + cluster.address(2));
            assertThat(cluster.get(node, "/nacos/v1/console/health/readiness").statusCode())
                    .isEqualTo(200);
        }

        cluster.start(2);
        cluster.awaitInService();
        for (int node : NODES) {
            assertThat(cluster.states(node)).isEqualTo(all("UP", "UP", "UP"));
            await().untilAsserted(() ->
                    assertThat(details(node, 2).get("startedAt").asLong()).isGreaterThan(startedBefore));
        }
        assertThat(schema.query("select address, state from cairn_node order by address"))
                .extracting(row -> row.get(0))
                .containsExactly(cluster.address(0), cluster.address(1), cluster.address(2));
    }

    private static Map<String, String> addresses(JsonNode list) {
        Map<String, String> states = new TreeMap<>();
        list.get("data")
                .forEach(each -> states.put(
                        each.get("address").asString(), each.get("state").asString()));
        return states;
    }

    private static JsonNode details(int asked, int about) {
        for (JsonNode node :
                cluster.json(asked, "/nacos/v3/admin/core/cluster/node/list").get("data")) {
            if (node.get("address").asString().equals(cluster.address(about))) {
                return node.get("extendInfo").get("cluster");
            }
        }
        throw new AssertionError("node " + asked + " does not list node " + about);
    }

    /** The findings about nodes that a node has. */
    private static List<String> findings(int node) {
        return cluster.json(node, "/nacos/v3/admin/core/attention")
                .get("data")
                .valueStream()
                .filter(finding -> finding.get("detail").asString().length() > 0)
                .map(finding -> finding.get("kind").asString()
                        + ' '
                        + finding.get("subject").asString())
                .filter(text -> !text.startsWith("DISK_FULL") && !text.startsWith("LIMIT_NEAR"))
                .toList();
    }
}

package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The reads of what each node of a cluster knows alone: each node answers with the parts of all. */
final class SeenFromAnyNode {

    private static final String CONFIG = "dataId=seen.yaml&groupName=DEFAULT_GROUP";
    private static final String MD5 = ContentDigest.of("a: 1").toString();
    private static final String INSTANCE = "10.1.0.9:8080";

    private final ClusterOfServers cluster;

    SeenFromAnyNode(ClusterOfServers cluster) {
        this.cluster = cluster;
    }

    /** A client of node 1 listens, and one of node 2 subscribes and registers. */
    void clientsAreSeen() {
        try (WireClient listener = cluster.wire(1);
                NamingClient subscriber = cluster.naming(2)) {
            listener.listen("seen.yaml", MD5);
            subscriber.subscribe("seen");
            subscriber.register("seen", INSTANCE);
            String clientId = publisherId();
            for (int node : cluster.nodes()) {
                // Again where a node has not answered another within a second on a busy machine.
                await().untilAsserted(() -> {
                    listenersAreSeen(node);
                    subscribersAreSeen(node);
                    registryClientIsSeen(node, clientId);
                    assertThat(nodesOfConnections(node)).contains(cluster.address(1), cluster.address(2));
                });
            }
        }
    }

    private JsonNode data(int node, String path) {
        JsonNode answer = cluster.json(node, "/nacos" + path);
        assertThat(answer.has("silentNodes")).as(answer.toString()).isFalse();
        return answer.get("data");
    }

    private void listenersAreSeen(int node) {
        JsonNode watchers = data(node, "/v3/admin/cs/config/watchers?" + CONFIG);
        assertThat(watchers).hasSize(1);
        String ip = watchers.get(0).get("clientIp").asString();
        assertThat(watchers.get(0).get("md5").asString()).isEqualTo(MD5);
        assertThat(data(node, "/v3/admin/cs/config/listener?" + CONFIG)
                        .at("/listenersStatus/" + ip)
                        .asString())
                .isEqualTo(MD5);
        assertThat(data(node, "/v3/admin/cs/config/listener?aggregation=false&" + CONFIG)
                        .get("listenersStatus"))
                .hasSize(node == 1 ? 1 : 0);
        assertThat(cluster.json(node, "/nacos/v1/cs/configs/listener?dataId=seen.yaml&group=DEFAULT_GROUP")
                        .at("/lisentersGroupkeyStatus/" + ip)
                        .asString())
                .isEqualTo(MD5);
        assertThat(cluster.json(node, "/nacos/v1/cs/communication/configWatchers?dataId=seen.yaml&group=DEFAULT_GROUP")
                        .get("lisentersGroupkeyStatus"))
                .as("nodes of the reference are asked one by one")
                .hasSize(node == 1 ? 1 : 0);
        assertThat(data(node, "/v3/admin/cs/listener?all=true&ip=" + ip)
                        .at("/listenersStatus/seen.yaml+DEFAULT_GROUP+public")
                        .asString())
                .isEqualTo(MD5);
        assertThat(data(node, "/v3/admin/cs/metrics/cluster?dataId=seen.yaml&ip=" + ip))
                .hasSize(1);
        assertThat(data(node, "/v3/admin/cs/metrics/ip?dataId=seen.yaml&ip=" + ip))
                .hasSize(node == 1 ? 1 : 0);
    }

    private void subscribersAreSeen(int node) {
        assertThat(cluster.json(node, "/nacos/v1/ns/service/subscribers?serviceName=seen")
                        .get("count")
                        .asInt())
                .isEqualTo(1);
        assertThat(data(node, "/v3/admin/ns/service/subscribers?serviceName=seen")
                        .get("totalCount")
                        .asInt())
                .isEqualTo(1);
        assertThat(data(node, "/v3/admin/ns/service/subscribers?serviceName=seen&aggregation=false")
                        .get("totalCount")
                        .asInt())
                .isEqualTo(node == 2 ? 1 : 0);
        assertThat(data(node, "/v2/ns/client/service/subscriber/list?serviceName=seen"))
                .hasSize(1);
    }

    private String publisherId() {
        return await().until(
                        () -> data(2, "/v2/ns/client/service/publisher/list?serviceName=seen"),
                        publishers -> publishers.size() == 1)
                .get(0)
                .get("clientId")
                .asString();
    }

    private void registryClientIsSeen(int node, String clientId) {
        List<String> ids = new ArrayList<>();
        data(node, "/v3/admin/ns/client/list").forEach(id -> ids.add(id.asString()));
        assertThat(ids).contains(clientId).doesNotHaveDuplicates();
        assertThat(data(node, "/v2/ns/client?clientId=" + clientId)
                        .get("clientId")
                        .asString())
                .isEqualTo(clientId);
        JsonNode published = data(node, "/v3/admin/ns/client/publish/list?clientId=" + clientId);
        assertThat(published).hasSize(1);
        assertThat(published.get(0).at("/publisherInfo/ip").asString()).isEqualTo("10.1.0.9");
        assertThat(data(node, "/v3/admin/ns/client/subscribe/list?clientId=" + clientId)
                        .get(0)
                        .get("serviceName")
                        .asString())
                .isEqualTo("seen");
        assertThat(cluster.get(node, "/nacos/v3/admin/ns/client?clientId=none").statusCode())
                .isEqualTo(404);
    }

    private Set<String> nodesOfConnections(int node) {
        Set<String> nodes = new HashSet<>();
        data(node, "/v3/admin/core/connection/list").forEach(each -> {
            assertThat(each.at("/connection/metaInfo/connectionId").asString()).isNotEmpty();
            nodes.add(each.get("node").asString());
        });
        return nodes;
    }

    /** Each node is described as it describes itself, whichever node is asked. */
    void nodesAreDescribed() {
        for (int asked : cluster.nodes()) {
            await().untilAsserted(() -> {
                JsonNode status = data(asked, "/v3/admin/core/cluster/status");
                assertThat(status.get("cluster").asBoolean()).isTrue();
                assertThat(status.get("node").asString()).isEqualTo(cluster.address(asked));
                assertThat(status.get("nodes")).hasSize(cluster.nodes().size()).allSatisfy(this::isInStep);
            });
        }
    }

    private void isInStep(JsonNode node) {
        String text = node.toString();
        assertThat(node.get("answered").asBoolean()).as(text).isTrue();
        assertThat(node.get("state").asString()).as(text).isEqualTo("READY");
        assertThat(node.get("presence").asString()).as(text).isEqualTo("PRESENT");
        assertThat(node.get("behind").asLong()).as(text).isZero();
        assertThat(node.get("revisionsBehind").asLong()).as(text).isZero();
        assertThat(node.path("digestsEqual").asBoolean(false)).as(text).isTrue();
        assertThat(node.path("clockOffsetMillis").asLong(Long.MAX_VALUE))
                .as(text)
                .isBetween(-10_000L, 1_000L);
        assertThat(node.get("copies")).as(text).hasSize(cluster.nodes().size() - 1);
    }

    /** Node 1 has a finding and a push, and a client of node 2 a subscription. */
    void overviewsAreSeen() {
        assertThat(cluster.call("GET", 1, "/registry/ui/", "Accept", "text/html", "X-Forwarded-For", "10.0.0.9")
                        .statusCode())
                .isEqualTo(404);
        try (WireClient listener = cluster.wire(1);
                NamingClient subscriber = cluster.naming(2)) {
            listener.publish("pushed.yaml", "a: 1");
            listener.listen("pushed.yaml", MD5);
            subscriber.subscribe("seen");
            listener.publish("pushed.yaml", "a: 2");
            listener.nextPush();
            for (int node : cluster.nodes()) {
                await().untilAsserted(() -> findingIsSeen(node));
                await().untilAsserted(() -> subscriptionsAreSeen(node));
                await().untilAsserted(
                                () -> assertThat(pushesOfConfigurations(node)).isPositive());
            }
        }
    }

    private void findingIsSeen(int node) {
        assertThat(data(node, "/v3/admin/core/attention"))
                .filteredOn(finding -> finding.get("kind").asString().equals("PROXY_PATH_UNKNOWN"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.get("subject").asString()).isEqualTo("/registry/ui/");
                    assertThat(finding.get("nodes")).hasSize(1);
                    assertThat(finding.get("nodes").get(0).asString()).isEqualTo(cluster.address(1));
                });
    }

    private void subscriptionsAreSeen(int node) {
        assertThat(data(node, "/v3/admin/core/cluster/status").get("nodes"))
                .extracting(each -> each.get("address").asString(), each -> each.get("subscriptions")
                        .asLong())
                .contains(tuple(cluster.address(2), 1L));
    }

    private long pushesOfConfigurations(int node) {
        long count = 0;
        for (JsonNode period : data(node, "/v3/admin/core/push/latency").get("config")) {
            count += period.get("count").asLong();
        }
        return count;
    }

    /** Each node has the meters of a cluster, with a series for each other node. */
    void nodesAreMeasured() {
        for (int node : cluster.nodes()) {
            String scraped =
                    cluster.ok("GET", node, "/nacos/actuator/prometheus").body();
            for (Field constant : MeterNames.class.getFields()) {
                String name = name(constant);
                if (name.startsWith("cairn_cluster_peer_")) {
                    for (int other : cluster.nodes()) {
                        assertThat(scraped.contains(name + "{peer=\"" + cluster.address(other) + "\"}"))
                                .as("%s of node %s at node %s", name, other, node)
                                .isEqualTo(other != node);
                    }
                } else if (name.startsWith("cairn_cluster_")) {
                    assertThat(scraped).contains("\n" + name);
                }
            }
            assertThat(scraped)
                    .contains("cairn_cluster_members{state=\"ready\"} 3.0")
                    .contains("cairn_cluster_members{state=\"absent\"} 0.0")
                    .contains("cairn_cluster_diverged_total 0.0");
        }
    }

    private static String name(Field constant) {
        try {
            return ((String) constant.get(null)).replace('.', '_');
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}

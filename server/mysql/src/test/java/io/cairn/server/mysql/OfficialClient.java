package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.listener.NamingEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * The official client of generation 2 with the addresses of all nodes of a cluster: it registers an instance, subscribes to its service
 * and listens to a configuration. It has one connection for instances and one for configurations.
 */
final class OfficialClient implements AutoCloseable {

    private static final String GROUP = "DEFAULT_GROUP";
    private static final String IP = "10.3.0.1";
    private static final int PORT = 8080;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ClusterOfServers cluster;
    private final String service;
    private final String dataId;
    private final NamingService naming;
    private final ConfigService configs;
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> lists = new ConcurrentLinkedQueue<>();

    /** @param name of its service and of its configuration */
    OfficialClient(ClusterOfServers cluster, String name) throws NacosException {
        this.cluster = cluster;
        this.service = name;
        this.dataId = name;
        Properties properties = new Properties();
        properties.setProperty(
                PropertyKeyConst.SERVER_ADDR,
                cluster.nodes().stream().map(cluster::address).collect(Collectors.joining(",")));
        naming = NacosFactory.createNamingService(properties);
        configs = NacosFactory.createConfigService(properties);
        naming.registerInstance(service, IP, PORT);
        naming.subscribe(service, event -> {
            if (event instanceof NamingEvent changed) {
                lists.add(changed.getInstances().size());
            }
        });
        configs.addListener(dataId, GROUP, new AbstractListener() {
            @Override
            public void receiveConfigInfo(String content) {
                heard.add(content);
            }
        });
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(connections()).hasSize(2));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(lists).contains(1));
    }

    /** {@code node connectionId} of each of its connections, as any node gathers them. */
    private List<String> connections() {
        List<String> all = new ArrayList<>();
        for (JsonNode each :
                cluster.json(0, "/nacos/v3/admin/core/connection/list").get("data")) {
            // The light clients of the other tests do not name an application.
            if (each.at("/connection/metaInfo/labels").has("AppName")) {
                all.add(each.get("node").asString()
                        + ' '
                        + each.at("/connection/metaInfo/connectionId").asString());
            }
        }
        return all;
    }

    /** Has its connections move to the node. */
    void moveTo(int node) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> {
            List<String> elsewhere = connections().stream()
                    .filter(each -> !each.startsWith(cluster.address(node) + ' '))
                    .toList();
            for (String each : elsewhere) {
                String[] parts = each.split(" ");
                for (int at : cluster.nodes()) {
                    if (cluster.address(at).equals(parts[0])) {
                        cluster.call(
                                "POST",
                                at,
                                "/nacos/v3/admin/core/loader/reloadClient?connectionId=" + parts[1]
                                        + "&redirectAddress=" + cluster.address(node));
                    }
                }
            }
            assertThat(elsewhere).isEmpty();
        });
    }

    /** Publishes at the node, and waits until its listener has the content. */
    void assertHears(int node, String content) {
        cluster.ok("POST", node, "/nacos/v1/cs/configs?group=" + GROUP + "&dataId=" + dataId + "&content=" + content);
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(heard).as("published at node %s", node).contains(content));
    }

    /** Its instance is listed by each node, and was in each list that it has got. */
    void assertListed() {
        ClusterRegistry registry = new ClusterRegistry(cluster);
        for (int node : cluster.nodes()) {
            assertThat(registry.listed(node, service)).as("on node %s", node).containsExactly(IP + ':' + PORT);
        }
        assertThat(lists).containsOnly(1);
    }

    @Override
    public void close() throws NacosException {
        naming.shutDown();
        configs.shutDown();
    }
}

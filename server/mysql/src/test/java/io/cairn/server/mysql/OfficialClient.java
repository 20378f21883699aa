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
    private static final int ATTEMPTS = 40;

    private final ClusterOfServers cluster;
    private final String service;
    private final String dataId;
    private final Properties properties = new Properties();
    private final NamingService naming;
    private final ConfigService configs;
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> lists = new ConcurrentLinkedQueue<>();

    /**
     * Opens clients until both connections lead to the node: each client begins with any of its list, and one that is asked to move to a
     * node takes the first of its list that has the same host, which is node 0 here.
     *
     * @param name of its service and of its configuration
     */
    OfficialClient(ClusterOfServers cluster, String name, int node) throws NacosException {
        this.cluster = cluster;
        this.service = name;
        this.dataId = name;
        properties.setProperty(
                PropertyKeyConst.SERVER_ADDR,
                cluster.nodes().stream().map(cluster::address).collect(Collectors.joining(",")));
        naming = openNaming(node);
        configs = openConfigs(node);
        naming.registerInstance(service, IP, PORT);
        naming.subscribe(service, event -> {
            if (event instanceof NamingEvent changed) {
                lists.add(changed.getInstances().size());
            }
        });
        await().untilAsserted(() -> assertThat(lists).contains(1));
    }

    private NamingService openNaming(int node) throws NacosException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            NamingService opened = NacosFactory.createNamingService(properties);
            opened.getAllInstances(service);
            if (isAt(node, "naming")) {
                return opened;
            }
            opened.shutDown();
        }
        throw new AssertionError("no client for instances at node " + node + " in " + ATTEMPTS + " attempts");
    }

    private ConfigService openConfigs(int node) throws NacosException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            ConfigService opened = NacosFactory.createConfigService(properties);
            opened.addListener(dataId, GROUP, new AbstractListener() {
                @Override
                public void receiveConfigInfo(String content) {
                    heard.add(content);
                }
            });
            if (isAt(node, "config")) {
                return opened;
            }
            opened.shutDown();
        }
        throw new AssertionError("no client for configurations at node " + node + " in " + ATTEMPTS + " attempts");
    }

    /** Whether the client that was opened last, the only one of its module, is at the node. */
    private boolean isAt(int node, String module) {
        return await().until(() -> nodesOf(module), nodes -> nodes.size() == 1)
                .get(0)
                .equals(cluster.address(node));
    }

    /** The nodes of the connections of official clients, as any node gathers them. */
    private List<String> nodesOf(String module) {
        List<String> nodes = new ArrayList<>();
        for (JsonNode each :
                cluster.json(0, "/nacos/v3/admin/core/connection/list").get("data")) {
            JsonNode labels = each.at("/connection/metaInfo/labels");
            // The light clients of the other tests do not name an application.
            if (labels.has("AppName") && labels.path("module").asString("").equals(module)) {
                nodes.add(each.get("node").asString());
            }
        }
        return nodes;
    }

    /** Publishes at the node, and waits until its listener has the content. */
    void assertHears(int node, String content) {
        cluster.ok("POST", node, "/nacos/v1/cs/configs?group=" + GROUP + "&dataId=" + dataId + "&content=" + content);
        await().untilAsserted(
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

package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests of clients and operators about instances, to the nodes of a cluster over HTTP. An instance is named {@code ip:port}. */
record ClusterRegistry(ClusterOfServers cluster) {

    private static final JsonMapper JSON = new JsonMapper();

    /** @param parameters such as {@code &weight=2} */
    void register(int node, String service, String instance, String parameters) {
        cluster.ok("POST", node, "/nacos/v1/ns/instance?" + names(service, instance) + parameters);
    }

    /** @param parameters such as {@code &ephemeral=false} */
    void deregister(int node, String service, String instance, String parameters) {
        cluster.ok("DELETE", node, "/nacos/v1/ns/instance?" + names(service, instance) + parameters);
    }

    /** Sends a heartbeat that names the instance only. The code of the answer: 10200, or 20404 for an instance that is not known. */
    int beat(int node, String service, String instance) {
        return JSON.readTree(cluster.ok("PUT", node, "/nacos/v1/ns/instance/beat?" + names(service, instance))
                        .body())
                .path("code")
                .asInt();
    }

    /** Changes what the parameters name, as an operator does. */
    void patch(int node, String service, String instance, String parameters) {
        cluster.ok("PATCH", node, "/nacos/v1/ns/instance?" + names(service, instance) + parameters);
    }

    /** The instances that a node lists, healthy or not. */
    List<String> listed(int node, String service) {
        return List.copyOf(instances(node, service).keySet());
    }

    /** An instance as a node lists it; a missing node when it does not. */
    JsonNode listed(int node, String service, String instance) {
        return instances(node, service).getOrDefault(instance, JSON.missingNode());
    }

    private Map<String, JsonNode> instances(int node, String service) {
        Map<String, JsonNode> instances = new TreeMap<>();
        cluster.json(node, "/nacos/v1/ns/instance/list?serviceName=" + service)
                .path("hosts")
                .forEach(host -> instances.put(
                        host.path("ip").asString() + ':' + host.path("port").asInt(), host));
        return instances;
    }

    /** The address of the node that owns the client of an instance, as a node tells it in version 1. */
    String owner(int node, String instance) {
        return cluster.json(node, "/nacos/v1/ns/operator/distro/client?" + address(instance))
                .path("responsibleServer")
                .asString();
    }

    /** As {@link #owner}, in version 3. */
    String ownerInVersion3(int node, String instance) {
        return cluster.json(node, "/nacos/v3/admin/ns/client/distro?" + address(instance))
                .path("data")
                .path("responsibleServer")
                .asString();
    }

    /** An instance whose client that node owns, as all nodes that run say. */
    String ownedBy(int node, String ip) {
        awaitSameOwners(ip);
        return candidates(ip)
                .filter(instance -> owner(node, instance).equals(cluster.address(node)))
                .findFirst()
                .orElseThrow();
    }

    /** Waits until all nodes divide clients among all nodes that run. */
    private void awaitSameOwners(String ip) {
        Set<String> running = cluster.nodes().stream().map(cluster::address).collect(Collectors.toSet());
        await().pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
            List<List<String>> owners = cluster.nodes().stream()
                    .map(asked -> candidates(ip)
                            .map(instance -> owner(asked, instance))
                            .toList())
                    .distinct()
                    .toList();
            assertThat(owners).as("what each node says of the owners").hasSize(1);
            assertThat(new HashSet<>(owners.get(0))).isEqualTo(running);
        });
    }

    /** So many that each of some nodes owns one of them. */
    private static Stream<String> candidates(String ip) {
        return IntStream.range(8_000, 8_030).mapToObj(port -> ip + ':' + port);
    }

    static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String names(String service, String instance) {
        return "serviceName=" + service + '&' + address(instance);
    }

    private static String address(String instance) {
        String[] parts = instance.split(":");
        return "ip=" + parts[0] + "&port=" + parts[1];
    }
}

package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Servers in this JVM that are the nodes of one cluster on one database. Nodes are numbered from 0; the ports for HTTP are
 * {@value #SPACING} apart. Used by one thread.
 */
final class ClusterOfServers implements AutoCloseable {

    private static final int SPACING = 10;
    private static final int GRPC_OFFSET = 1_000;
    private static final int GROUP_OFFSET = 1_001;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = new JsonMapper();

    private final TestSchema schema;
    private final Path folder;
    private final ReservedPorts ports;
    private final int count;
    private final Map<String, String> settings;
    private final Map<Integer, CairnServer> running = new TreeMap<>();
    private final @Nullable NodeLinks links;
    /** Settings of one node each, which win over those of all. */
    private IntFunction<Map<String, String>> ofNode = node -> Map.of();

    private ClusterOfServers(
            TestSchema schema, Path folder, int count, Map<String, String> settings, boolean isCuttable) {
        this.schema = schema;
        this.folder = folder;
        this.count = count;
        this.ports = ReservedPorts.apart(IntStream.range(0, count)
                .map(node -> node * SPACING)
                .flatMap(http -> IntStream.of(http, http + GRPC_OFFSET, http + GROUP_OFFSET))
                .toArray());
        this.settings = new HashMap<>(settings);
        this.links = isCuttable ? new NodeLinks(count, node -> port(node) + GROUP_OFFSET, schema) : null;
    }

    /** Starts that many nodes, one after the other, and waits until each of them sees all others in service. */
    static ClusterOfServers start(int count, TestSchema schema, Path folder) {
        return start(count, schema, folder, Map.of());
    }

    /** @param settings beside those that make a cluster of the servers; these come last, so they win */
    static ClusterOfServers start(int count, TestSchema schema, Path folder, Map<String, String> settings) {
        return start(new ClusterOfServers(schema, folder, count, settings, false));
    }

    /** @param ofNode settings of one node, asked for when it starts; these win over those of all */
    static ClusterOfServers start(
            int count,
            TestSchema schema,
            Path folder,
            Map<String, String> settings,
            IntFunction<Map<String, String>> ofNode) {
        ClusterOfServers cluster = new ClusterOfServers(schema, folder, count, settings, false);
        cluster.ofNode = ofNode;
        return start(cluster);
    }

    /** As {@link #start(int, TestSchema, Path, Map)}; the nodes have {@link #links} between them, which can be cut. */
    static ClusterOfServers startCuttable(int count, TestSchema schema, Path folder, Map<String, String> settings) {
        return start(new ClusterOfServers(schema, folder, count, settings, true));
    }

    private static ClusterOfServers start(ClusterOfServers cluster) {
        try {
            for (int node = 0; node < cluster.count; node++) {
                cluster.start(node);
            }
            cluster.awaitInService();
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** Starts a node that is not running, in its folder of before. */
    CairnServer start(int node) {
        assertThat(running).doesNotContainKey(node);
        CairnServer.Builder builder = CairnServer.builder()
                .home(home(node))
                .setting("nacos.standalone", "false")
                .setting("server.port", Integer.toString(port(node)))
                .setting("nacos.inetutils.ip-address", "127.0.0.1")
                .setting(
                        "nacos.member.list",
                        IntStream.range(0, count).mapToObj(this::address).collect(Collectors.joining(",")))
                .setting("spring.sql.init.platform", "mysql")
                .setting("db.num", "1")
                .setting("db.url.0", schema.url())
                .setting("db.user.0", schema.user())
                .setting("db.password.0", schema.password())
                .setting("cairn.shutdown.drain", "0s")
                .setting("cairn.cluster.drain-timeout", "0s");
        if (links != null) {
            links.settings(node).forEach(builder::setting);
        }
        settings.forEach(builder::setting);
        ofNode.apply(node).forEach(builder::setting);
        CairnServer server = builder.start();
        running.put(node, server);
        return server;
    }

    /** Stops a node as an operator does: it leaves the group. */
    void stop(int node) {
        CairnServer server = running.remove(node);
        assertThat(server).as("node %s runs", node).isNotNull();
        server.close();
    }

    /** The links that a test can cut. */
    NodeLinks links() {
        if (links == null) {
            throw new IllegalStateException("the cluster was not started with startCuttable");
        }
        return links;
    }

    /** A setting for the nodes that are started from now on. */
    void setting(String name, String value) {
        settings.put(name, value);
    }

    CairnServer server(int node) {
        CairnServer server = running.get(node);
        assertThat(server).as("node %s runs", node).isNotNull();
        return server;
    }

    /** The nodes that run. */
    List<Integer> nodes() {
        return List.copyOf(running.keySet());
    }

    Path home(int node) {
        return folder.resolve("node" + node);
    }

    int port(int node) {
        return ports.first() + node * SPACING;
    }

    /** {@code host:port} of HTTP, whether the node runs or not. */
    String address(int node) {
        return "127.0.0.1:" + port(node);
    }

    /** Waits until each node that runs says that all that run are in service, itself included. */
    void awaitInService() {
        List<String> expected = nodes().stream().map(this::address).sorted().toList();
        for (int node : nodes()) {
            await().pollInterval(Duration.ofMillis(50))
                    .untilAsserted(() -> assertThat(serverList(node)).isEqualTo(expected));
        }
    }

    /** The lines of the server list that a node gives; none while no node is in service. */
    List<String> serverList(int node) {
        HttpResponse<String> answer = get(node, "/nacos/serverlist");
        return answer.statusCode() == 200 ? answer.body().lines().sorted().toList() : List.of();
    }

    /** The state of each node, by its address, as a node tells it. */
    Map<String, String> states(int node) {
        Map<String, String> states = new TreeMap<>();
        json(node, "/nacos/v1/core/cluster/nodes")
                .get("data")
                .forEach(each -> states.put(
                        each.get("address").asString(), each.get("state").asString()));
        return states;
    }

    JsonNode json(int node, String path) {
        HttpResponse<String> answer = get(node, path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    HttpResponse<String> get(int node, String path) {
        return call("GET", node, path);
    }

    /**
     * @param method such as POST or DELETE; parameters stand in the path
     * @param headers names and values in turn
     */
    HttpResponse<String> call(String method, int node, String path, String... headers) {
        HttpRequest.Builder request = request(node, path).method(method, HttpRequest.BodyPublishers.noBody());
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    /** As {@link #call}; fails when the answer is not 200. */
    HttpResponse<String> ok(String method, int node, String path, String... headers) {
        HttpResponse<String> answer = call(method, node, path, headers);
        assertThat(answer.statusCode())
                .as("%s %s on node %s: %s", method, path, node, answer.body())
                .isEqualTo(200);
        return answer;
    }

    /** A client over gRPC that is connected to this node and to no other. */
    WireClient wire(int node) {
        return WireClient.connect("127.0.0.1", port(node) + GRPC_OFFSET).setUp();
    }

    /** As {@link #wire}, for instances and subscriptions. */
    NamingClient naming(int node) {
        return new NamingClient(wire(node));
    }

    private HttpRequest.Builder request(int node, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address(node) + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(
                    request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Stops the nodes that run, the last one first. They can be started again. */
    void stopAll() {
        List<Integer> nodes = new ArrayList<>(running.keySet());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            stop(nodes.get(i));
        }
    }

    /** Stops the nodes that run at the same time, as an operator does who stops the cluster. They can be started again. */
    void stopAllAtOnce(Duration patience) {
        List<CompletableFuture<Void>> stops = running.values().stream()
                .map(server -> CompletableFuture.runAsync(server::close, task -> new Thread(task, "stop").start()))
                .toList();
        running.clear();
        assertThat(CompletableFuture.allOf(stops.toArray(CompletableFuture[]::new)))
                .succeedsWithin(patience);
    }

    /** Stops the nodes that run. */
    @Override
    public void close() {
        stopAll();
        if (links != null) {
            links.close();
        }
        ports.close();
    }
}

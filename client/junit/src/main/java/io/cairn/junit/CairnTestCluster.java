package io.cairn.junit;

import io.cairn.junit.processes.Folders;
import io.cairn.junit.processes.FreePorts;
import io.cairn.junit.processes.ServerProcess;
import io.cairn.junit.processes.TestDatabase;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A running cluster of a test. Methods throw {@link IllegalStateException} with the response of a server that rejects a
 * request, and {@link UncheckedIOException} when no response arrives within 30 s. Thread-safe.
 */
public final class CairnTestCluster {

    /** Between the HTTP ports of two nodes; larger than the offsets of a node's other ports. */
    private static final int PORT_SPACING = 10;

    private static final List<Integer> PORTS_OF_A_NODE = List.of(0, 1_000, 1_001);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 50;

    private final Path folder;
    private final FreePorts ports;
    private final List<CairnTestNode> nodes;

    private CairnTestCluster(int count, TestDatabase database, Map<String, String> settings) {
        folder = Folders.temporary("test");
        ports = FreePorts.find(IntStream.range(0, count)
                .boxed()
                .flatMap(node -> PORTS_OF_A_NODE.stream().map(port -> node * PORT_SPACING + port))
                .filter(offset -> offset != 0)
                .toList());
        List<Integer> http = IntStream.range(0, count)
                .mapToObj(node -> ports.first() + node * PORT_SPACING)
                .toList();
        String members = http.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        List<CairnTestNode> all = new ArrayList<>();
        for (int port : http) {
            Map<String, String> own = new LinkedHashMap<>();
            own.put("server.address", "127.0.0.1");
            own.put("server.port", Integer.toString(port));
            own.put("nacos.standalone", "false");
            own.put("nacos.inetutils.ip-address", "127.0.0.1");
            own.put("nacos.member.list", members);
            own.put("spring.sql.init.platform", "mysql");
            own.put("db.num", "1");
            own.put("db.url.0", database.url());
            own.put("db.user.0", database.user());
            own.put("db.password.0", database.password());
            own.put("logging.threshold.console", "WARN");
            own.putAll(settings);
            all.add(new CairnTestNode(port, folder.resolve("node-" + all.size()), own));
        }
        nodes = List.copyOf(all);
    }

    static CairnTestCluster start(
            int count, TestDatabase database, Map<String, String> settings, List<Scaffold> configs) {
        String obstacle = ServerProcess.obstacle();
        if (obstacle != null) {
            throw new IllegalStateException(obstacle);
        }
        CairnTestCluster cluster = new CairnTestCluster(count, database, settings);
        try {
            cluster.nodes.forEach(CairnTestNode::launch);
            cluster.nodes.forEach(CairnTestNode::awaitReady);
            cluster.awaitInService();
            for (Scaffold config : configs) {
                cluster.publish(config);
            }
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.end();
            throw e;
        }
    }

    /** {@code host:port} of each server, separated by commas, as the server address of a client. */
    public String addresses() {
        return nodes.stream().map(CairnTestNode::address).collect(Collectors.joining(","));
    }

    /** All servers, including stopped ones. */
    public List<CairnTestNode> nodes() {
        return nodes;
    }

    public CairnTestNode node(int index) {
        return nodes.get(index);
    }

    /** @throws IllegalArgumentException when no server has this HTTP port */
    public CairnTestNode nodeAt(int httpPort) {
        return nodes.stream()
                .filter(node -> node.httpPort() == httpPort)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("port: " + httpPort + " (expected: one of "
                        + nodes.stream().map(CairnTestNode::httpPort).toList() + ')'));
    }

    /**
     * Waits until each running server lists exactly the running servers as in service.
     *
     * @throws IllegalStateException after 60 s
     */
    public void awaitInService() {
        Set<String> expected = nodes.stream()
                .filter(CairnTestNode::serves)
                .map(CairnTestNode::address)
                .collect(Collectors.toCollection(TreeSet::new));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (CairnTestNode node : nodes) {
            while (node.serves() && !inService(node).equals(expected)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("servers in service as " + node + " sees it: " + inService(node)
                            + " (expected: " + expected + "); its output was:\n" + node.output());
                }
                pause();
            }
        }
    }

    private static Set<String> inService(CairnTestNode node) {
        try {
            return node.calls().get("/serverlist").stream()
                    .flatMap(String::lines)
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IllegalStateException | UncheckedIOException none) {
            // A server returns 503 while no server is in service, and refuses connections before its ports are open.
            return Set.of();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the cluster", e);
        }
    }

    private ServerCalls anyServer() {
        return nodes.stream()
                .filter(CairnTestNode::serves)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no server of the cluster runs"))
                .calls();
    }

    /** Stores a configuration of the default namespace; durable on return. */
    public void publish(String dataId, String group, String content) {
        publish(new Scaffold("", group, dataId, content, ""));
    }

    /** Stores a configuration; durable on return. */
    public void publish(String namespace, String dataId, String group, String content) {
        publish(new Scaffold(namespace, group, dataId, content, ""));
    }

    void publish(Scaffold config) {
        anyServer().publish(config);
    }

    /** Registers a persistent instance, which is healthy without heartbeats. */
    public void register(String service, String host, int port) {
        anyServer().register(service, host, port);
    }

    void close() {
        try {
            nodes.stream().filter(CairnTestNode::serves).findFirst().ifPresent(CairnTestNode::recordClasses);
        } finally {
            end();
        }
    }

    private void end() {
        nodes.forEach(CairnTestNode::kill);
        ports.close();
        Folders.delete(folder);
    }

    @Override
    public String toString() {
        return addresses();
    }
}

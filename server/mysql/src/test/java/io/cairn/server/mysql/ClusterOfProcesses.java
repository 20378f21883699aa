package io.cairn.server.mysql;

import io.cairn.server.support.ChildServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/** Servers in processes of their own that are one cluster on one database. Calls come from one thread. */
final class ClusterOfProcesses implements AutoCloseable {

    private static final int PORT_SPACING = 10;

    private final Path folder;
    private final TestSchema schema;
    private final List<Node> nodes = new ArrayList<>();

    /** One node over all of its runs. */
    private static final class Node {

        private final int httpPort;
        private ChildServer process;
        /** Whether it answers: it was started, and neither killed nor paused. */
        private volatile boolean serving;

        Node(int httpPort) {
            this.httpPort = httpPort;
        }
    }

    private ClusterOfProcesses(Path folder, TestSchema schema, int size) {
        this.folder = folder;
        this.schema = schema;
        int first = freePorts(size);
        for (int i = 0; i < size; i++) {
            nodes.add(new Node(first + i * PORT_SPACING));
        }
    }

    /** Starts that many nodes at the same time on an empty schema; returns when all serve. */
    static ClusterOfProcesses start(Path folder, TestSchema schema, int size) {
        ClusterOfProcesses cluster = new ClusterOfProcesses(folder, schema, size);
        try {
            for (int i = 0; i < size; i++) {
                cluster.launch(i);
            }
            for (Node node : cluster.nodes) {
                node.process.awaitReady();
                node.serving = true;
            }
            return cluster;
        } catch (RuntimeException | AssertionError e) {
            cluster.close();
            throw e;
        }
    }

    /** The lowest of free ports for HTTP; those for gRPC and for the group lie 1,000 and 1,001 above. */
    private static int freePorts(int size) {
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(10_000, 30_000);
            boolean free = true;
            for (int i = 0; i < size && free; i++) {
                int port = first + i * PORT_SPACING;
                free = isFree(port) && isFree(port + 1_000) && isFree(port + 1_001);
            }
            if (free) {
                return first;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }

    private void launch(int index) {
        Node node = nodes.get(index);
        node.process = ChildServer.launch(
                folder.resolve("node-" + index),
                "--nacos.standalone=false",
                "--nacos.member.list=" + addresses(),
                "--nacos.inetutils.ip-address=127.0.0.1",
                "--server.port=" + node.httpPort,
                "--spring.sql.init.platform=mysql",
                "--db.num=1",
                "--db.url.0=" + schema.url(),
                "--db.user.0=" + schema.user(),
                "--db.password.0=" + schema.password());
    }

    int size() {
        return nodes.size();
    }

    int httpPort(int index) {
        return nodes.get(index).httpPort;
    }

    /** Whether the node is neither killed nor paused. */
    boolean isServing(int index) {
        return nodes.get(index).serving;
    }

    /** All nodes, as clients name them. */
    String addresses() {
        return nodes.stream().map(node -> "127.0.0.1:" + node.httpPort).collect(Collectors.joining(","));
    }

    /** SIGKILL. */
    void kill(int index) {
        nodes.get(index).serving = false;
        nodes.get(index).process.kill();
    }

    /** SIGTERM; returns when the process has ended. */
    void stop(int index) {
        nodes.get(index).process.stop();
        nodes.get(index).serving = false;
    }

    /** Starts a node that was killed or stopped; returns when it serves. */
    void restart(int index) {
        launch(index);
        nodes.get(index).process.awaitReady();
        nodes.get(index).serving = true;
    }

    /** SIGSTOP. */
    void pause(int index) {
        nodes.get(index).serving = false;
        nodes.get(index).process.pause();
    }

    /** SIGCONT. */
    void resume(int index) {
        nodes.get(index).process.resume();
        nodes.get(index).serving = true;
    }

    /** The output of the nodes, for the message of a failure. */
    String output() {
        StringBuilder all = new StringBuilder();
        for (Node node : nodes) {
            all.append("\n--- ")
                    .append(node.httpPort)
                    .append('\n')
                    .append(node.process.output())
                    .append(node.process.errors());
        }
        return all.toString();
    }

    @Override
    public void close() {
        for (Node node : nodes) {
            node.serving = false;
            if (node.process != null) {
                node.process.close();
            }
        }
    }
}

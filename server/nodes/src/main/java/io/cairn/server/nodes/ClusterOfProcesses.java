package io.cairn.server.nodes;

import io.cairn.testing.ReservedPorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A cluster of server processes on one database. Nodes are numbered from 0. For one thread, except the queries. */
public final class ClusterOfProcesses implements AutoCloseable {

    private static final int PORT_SPACING = 10;
    private static final int GRPC_OFFSET = 1_000;
    private static final int GROUP_OFFSET = 1_001;

    private final Path folder;
    private final DatabaseAccess database;
    private final NodeProcess.Launcher launcher;
    private final ReservedPorts ports;
    private final List<Node> nodes = new ArrayList<>();

    /** One node over all of its runs. */
    private static final class Node {

        private final int httpPort;
        private @Nullable NodeProcess process;
        /** Whether the node was started, and neither killed nor paused. */
        private volatile boolean serving;

        Node(int httpPort) {
            this.httpPort = httpPort;
        }

        NodeProcess process() {
            if (process == null) {
                throw new IllegalStateException("node " + httpPort + " was never started");
            }
            return process;
        }
    }

    private ClusterOfProcesses(Path folder, DatabaseAccess database, NodeProcess.Launcher launcher, int size) {
        this.folder = folder;
        this.database = database;
        this.launcher = launcher;
        this.ports = ReservedPorts.apart(IntStream.range(0, size)
                .map(node -> node * PORT_SPACING)
                .flatMap(http -> IntStream.of(http, http + GRPC_OFFSET, http + GROUP_OFFSET))
                .toArray());
        for (int i = 0; i < size; i++) {
            nodes.add(new Node(ports.first() + i * PORT_SPACING));
        }
    }

    /** Starts that many nodes at once on an empty schema; returns when all serve. */
    public static ClusterOfProcesses start(
            Path folder, DatabaseAccess database, NodeProcess.Launcher launcher, int size) {
        ClusterOfProcesses cluster = new ClusterOfProcesses(folder, database, launcher, size);
        try {
            for (Node node : cluster.nodes) {
                cluster.launch(node);
            }
            for (Node node : cluster.nodes) {
                node.process().awaitReady();
                node.serving = true;
            }
            return cluster;
        } catch (RuntimeException | AssertionError e) {
            cluster.close();
            throw e;
        }
    }

    private void launch(Node node) {
        List<String> arguments = new ArrayList<>(List.of(
                "--nacos.standalone=false",
                "--nacos.member.list=" + addresses(),
                "--nacos.inetutils.ip-address=127.0.0.1",
                // Each change must arrive from its node, and not by a comparison of all rows.
                "--cairn.database.compare-interval=1h"));
        arguments.addAll(database.arguments());
        node.process = launcher.launch(folder.resolve("node-" + nodes.indexOf(node)), node.httpPort, arguments);
    }

    public int size() {
        return nodes.size();
    }

    public int httpPort(int index) {
        return nodes.get(index).httpPort;
    }

    /** {@code 127.0.0.1:port} of HTTP. */
    public String address(int index) {
        return "127.0.0.1:" + httpPort(index);
    }

    /** All nodes, as clients name them. */
    public String addresses() {
        return IntStream.range(0, size()).mapToObj(this::address).collect(Collectors.joining(","));
    }

    public boolean isServing(int index) {
        return nodes.get(index).serving;
    }

    /** SIGKILL. */
    public void kill(int index) {
        nodes.get(index).serving = false;
        nodes.get(index).process().kill();
    }

    /** SIGTERM; returns when the process has ended. */
    public void stop(int index) {
        nodes.get(index).process().stop();
        nodes.get(index).serving = false;
    }

    /** SIGKILL to all nodes. */
    public void killAll() {
        IntStream.range(0, size()).forEach(this::kill);
    }

    /** SIGTERM to all nodes at once; returns when all processes have ended. */
    public void stopAll() {
        List<Thread> stops = IntStream.range(0, size())
                .mapToObj(node -> new Thread(() -> stop(node), "stop-" + node))
                .toList();
        stops.forEach(Thread::start);
        for (Thread stop : stops) {
            try {
                stop.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while all nodes stop", e);
            }
        }
        for (Node node : nodes) {
            if (node.serving) {
                throw new IllegalStateException("node " + node.httpPort + " was not stopped:\n" + output());
            }
        }
    }

    /** Starts all stopped nodes at once; returns when all serve. */
    public void restartAll() {
        nodes.forEach(this::launch);
        for (Node node : nodes) {
            node.process().awaitReady();
            node.serving = true;
        }
    }

    /** Starts a stopped node; returns when it serves. */
    public void restart(int index) {
        Node node = nodes.get(index);
        launch(node);
        node.process().awaitReady();
        node.serving = true;
    }

    /** SIGSTOP. */
    public void pause(int index) {
        nodes.get(index).serving = false;
        Signal.STOP.send(nodes.get(index).process().pid());
    }

    /** SIGCONT. */
    public void resume(int index) {
        Signal.CONT.send(nodes.get(index).process().pid());
        nodes.get(index).serving = true;
    }

    public String output() {
        StringBuilder all = new StringBuilder();
        for (Node node : nodes) {
            all.append("\n--- ")
                    .append(node.httpPort)
                    .append('\n')
                    .append(node.process().output());
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
        ports.close();
    }
}

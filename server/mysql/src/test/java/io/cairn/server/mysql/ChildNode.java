package io.cairn.server.mysql;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.NodeProcess;
import io.cairn.server.support.ChildServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** A node that runs on the class path of this JVM. */
record ChildNode(ChildServer server) implements NodeProcess {

    /** Starts that many nodes at the same time on an empty schema; returns when all serve. */
    static ClusterOfProcesses cluster(Path folder, TestSchema schema, int size) {
        return ClusterOfProcesses.start(folder, schema.access(), ChildNode::launch, size);
    }

    /** As {@link #cluster(Path, TestSchema, int)}; each node has its own way to the database, which is a URL of the schema. */
    static ClusterOfProcesses cluster(Path folder, TestSchema schema, int size, IntFunction<String> url) {
        return ClusterOfProcesses.start(
                folder,
                schema.access(),
                (home, httpPort, arguments) -> {
                    int node = Integer.parseInt(home.getFileName().toString().replace("node-", ""));
                    return launch(
                            home,
                            httpPort,
                            arguments.stream()
                                    .map(each -> each.replace("=" + schema.url(), "=" + url.apply(node)))
                                    .toList());
                },
                size);
    }

    private static NodeProcess launch(Path home, int httpPort, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of("--server.port=" + httpPort));
        all.addAll(arguments);
        return new ChildNode(ChildServer.launch(home, all.toArray(String[]::new)));
    }

    @Override
    public void awaitReady() {
        server.awaitReady();
    }

    @Override
    public long pid() {
        return server.pid();
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void stop() {
        server.stop();
    }

    @Override
    public String output() {
        return server.output() + server.errors();
    }

    @Override
    public void close() {
        server.close();
    }
}

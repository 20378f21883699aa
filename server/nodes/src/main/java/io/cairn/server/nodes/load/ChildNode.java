package io.cairn.server.nodes.load;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.DatabaseAccess;
import io.cairn.server.nodes.NodeProcess;
import io.cairn.server.support.ChildServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** A node that runs on the class path of this JVM. */
public record ChildNode(ChildServer server) implements NodeProcess {

    /** Starts that many nodes at the same time on an empty schema; returns when all serve. */
    public static ClusterOfProcesses cluster(Path folder, DatabaseAccess database, int size) {
        return ClusterOfProcesses.start(folder, database, ChildNode::launch, size);
    }

    /** Each node has a URL of its own to the database. */
    public static ClusterOfProcesses cluster(Path folder, DatabaseAccess database, int size, IntFunction<String> url) {
        return ClusterOfProcesses.start(
                folder,
                database,
                (home, httpPort, arguments) -> {
                    int node = Integer.parseInt(home.getFileName().toString().replace("node-", ""));
                    return launch(
                            home,
                            httpPort,
                            arguments.stream()
                                    .map(each -> each.replace("=" + database.url(), "=" + url.apply(node)))
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

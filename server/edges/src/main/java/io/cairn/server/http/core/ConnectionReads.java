package io.cairn.server.http.core;

import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The clients that are connected over gRPC to any node. Thread-safe; never blocks. */
public final class ConnectionReads {

    private final NodeRead<NodeConnection> connections;

    /**
     * @param load the connections of this node
     * @param self names this node; known once it has started
     * @param pool where connections are described, for they may be many
     */
    public ConnectionReads(ClientLoad load, ClusterNodes self, ClusterReads nodes, ReadPool pool) {
        this.connections = NodeRead.declare(
                nodes,
                "connections",
                NodeConnection.class,
                asked -> {
                    String node = self.self().toString();
                    return load.current().values().stream()
                            .map(connection -> new NodeConnection(node, connection))
                            .toList();
                },
                pool);
    }

    /**
     * A connection of a client.
     *
     * @param node the address of the node that it leads to
     */
    public record NodeConnection(String node, ClientLoad.Connection connection) {}

    /** The connections of all nodes. */
    public CompletionStage<Gathered<NodeConnection>> all() {
        return connections.allOnPool(Map.of());
    }
}

package io.cairn.server.http.core;

import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The clients connected over gRPC to any node. Never blocks. */
public final class ConnectionReads {

    private final NodeRead<NodeConnection> connections;

    /**
     * @param load the connections of this node
     * @param self names this node after its start
     * @param pool describes connections, which may be many
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

    /** @param node the address of the connection's node */
    public record NodeConnection(String node, ClientLoad.Connection connection) {}

    public CompletionStage<Gathered<NodeConnection>> all() {
        return connections.allOnPool(Map.of());
    }
}

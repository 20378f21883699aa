package io.cairn.server.node;

import java.util.List;
import java.util.Map;

/** The nodes of the cluster as this node knows them. Thread-safe; returns at once. */
public interface ClusterMembers {

    /** Whether this server is a node of a cluster; false for a single server. */
    boolean isCluster();

    /** This node. */
    NodeStatus self();

    /** All nodes, this one among them, in the order of their addresses. */
    List<NodeStatus> all();

    /** The state of this node's copies of the other members' entries; empty for a single server. */
    List<CopyStatus> copies();

    /** The addresses of the nodes that serve clients, in their order. */
    default List<String> inService() {
        return all().stream()
                .filter(NodeStatus::isInService)
                .map(NodeStatus::address)
                .toList();
    }

    /** The other nodes in service with the number of their gRPC clients; none for a single server. */
    default Map<NodeId, Long> clientsOfOthers() {
        return Map.of();
    }

    /** The problems that operators have to solve; none for a single server. */
    List<NodeFinding> findings();
}

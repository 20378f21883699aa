package io.cairn.server.node;

import java.util.List;

/** The nodes of the cluster as this node knows them. Thread-safe; returns at once. */
public interface ClusterMembers {

    /** Whether this server is a node of a cluster; false for a single server. */
    boolean isCluster();

    /** This node. */
    NodeStatus self();

    /** All nodes, this one among them, in the order of their addresses. */
    List<NodeStatus> all();

    /** How far this node has what each other member owns; empty for a single server. */
    List<CopyStatus> copies();

    /** The addresses of the nodes that serve clients, in their order. */
    default List<String> inService() {
        return all().stream()
                .filter(NodeStatus::isInService)
                .map(NodeStatus::address)
                .toList();
    }

    /** The problems that operators have to solve; none for a single server. */
    List<NodeFinding> findings();
}

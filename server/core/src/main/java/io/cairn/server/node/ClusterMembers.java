package io.cairn.server.node;

import java.util.List;
import java.util.Map;

/** The nodes of the cluster as this node knows them. Returns at once. */
public interface ClusterMembers {

    /** False for a single server. */
    boolean isCluster();

    NodeStatus self();

    /** By address, with this node. */
    List<NodeStatus> all();

    /** The copies of the other members' entries; empty for a single server. */
    List<CopyStatus> copies();

    /** Addresses, in order. */
    default List<String> inService() {
        return all().stream()
                .filter(NodeStatus::isInService)
                .map(NodeStatus::address)
                .toList();
    }

    /** Other nodes in service with the number of their gRPC clients. */
    default Map<NodeId, Long> clientsOfOthers() {
        return Map.of();
    }

    /** Problems for operators. */
    List<NodeFinding> findings();
}

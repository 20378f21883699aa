package io.cairn.server.cluster.visibility;

import io.cairn.server.node.NodeId;

/**
 * @param revision up to which the node shows every change, by its last heartbeat; 0 before the first
 * @param isOfThisState whether it has seen a commit that this node has seen, in the present state of the database
 */
record FencePeer(NodeId id, long revision, boolean isOfThisState) {}

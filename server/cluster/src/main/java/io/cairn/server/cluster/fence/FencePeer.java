package io.cairn.server.cluster.fence;

import io.cairn.server.node.NodeId;

/**
 * Another node in service.
 *
 * @param revision the revision up to which it shows every change, as its last heartbeat says; 0 before one has come
 */
record FencePeer(NodeId id, long revision) {}

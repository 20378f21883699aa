package io.cairn.server.cluster.routing;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;

@FunctionalInterface
public interface GroupMessages {

    /** False, without sending, when the node is no member, or its queue is full. */
    boolean send(NodeId to, ClusterMessage message);
}

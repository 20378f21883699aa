package io.cairn.server.cluster.routing;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;

/** Queues messages to members of the group. Thread-safe; does not wait. */
@FunctionalInterface
public interface GroupMessages {

    /** False when the node is no member, or too many messages wait for it; then the message is not sent. */
    boolean send(NodeId to, ClusterMessage message);
}

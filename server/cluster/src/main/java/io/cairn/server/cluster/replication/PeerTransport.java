package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;

/** Sends to members of the group. */
public interface PeerTransport {

    /**
     * Sends the message; those to one peer arrive in their order. May block while the peer takes nothing, so it is called by the thread
     * of the lane to that peer alone. A message to a node that has left is dropped.
     */
    void send(NodeId peer, byte[] message);
}

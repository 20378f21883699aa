package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;

public interface PeerTransport {

    /**
     * Sends a message; messages to one peer keep their order. May block while the peer does not read, so call it from the thread of
     * that lane alone. Drops a message to a departed node.
     */
    void send(NodeId peer, byte[] message);
}

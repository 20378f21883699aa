package io.cairn.server.node;

/** The clients over gRPC of this node, for actions that other nodes ask for. Thread-safe; returns at once. */
public interface OwnClients {

    int count();

    /**
     * Asks the surplus of clients to move.
     *
     * @param tolerance by how much a node may be above the average, such as 0.1
     * @return how many are asked
     */
    int rebalance(double tolerance);

    /**
     * Asks a client to connect to another node; nothing happens when it is not connected here.
     *
     * @param redirectAddress {@code host:port} of the node to go to; empty for any other one of the client's list
     */
    void move(String connectionId, String redirectAddress);
}

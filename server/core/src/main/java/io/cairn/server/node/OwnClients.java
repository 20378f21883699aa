package io.cairn.server.node;

/** This node's gRPC clients, for actions of other nodes. Returns at once. */
public interface OwnClients {

    int count();

    /**
     * Asks the surplus of clients to move.
     *
     * @param tolerance the permitted excess over the average, such as 0.1
     * @return their number
     */
    int rebalance(double tolerance);

    /**
     * Asks a client to move; no effect without its connection.
     *
     * @param redirectAddress {@code host:port}; empty for another server of the client's list
     */
    void move(String connectionId, String redirectAddress);
}

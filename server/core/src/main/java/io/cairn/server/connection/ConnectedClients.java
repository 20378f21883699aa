package io.cairn.server.connection;

import io.cairn.server.node.OwnClients;

/** This node's clients, for actions of other nodes. */
public record ConnectedClients(ConnectionRegistry connections, Rebalancing rebalancing) implements OwnClients {

    @Override
    public int count() {
        return connections.size();
    }

    @Override
    public int rebalance(double tolerance) {
        return rebalancing.begin(tolerance);
    }

    @Override
    public void move(String connectionId, String redirectAddress) {
        ClientConnection connection = connections.find(connectionId);
        if (connection != null) {
            int colon = redirectAddress.lastIndexOf(':');
            if (colon > 0) {
                connections.reset(
                        connection,
                        redirectAddress.substring(0, colon),
                        Integer.parseInt(redirectAddress.substring(colon + 1)),
                        MoveReason.OPERATOR);
            } else {
                connections.reset(connection, "", 0, MoveReason.OPERATOR);
            }
        }
    }
}

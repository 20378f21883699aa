package io.cairn.server.node;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Operators' actions on nodes, and moves of clients. An action on another node is forwarded. The stages fail with a
 * {@link CairnException}: {@code UNSUPPORTED} on a single server, {@code INVALID_PARAMETER} for an unknown address,
 * {@code UNAVAILABLE} without an answer. Does not block.
 */
public interface NodeOperations {

    /** The permitted excess over the average number of clients. */
    double TOLERANCE = 0.1;

    /**
     * Takes a node out of service and asks its clients to move.
     *
     * @param address {@code host:port} of HTTP
     * @return the node's action in one line; {@code CONFLICT} without another node in service
     */
    CompletionStage<String> drain(String address);

    /** Ends a drain; {@code CONFLICT} without one, and during a stop. */
    CompletionStage<String> undrain(String address);

    /**
     * Makes all nodes ask their surplus of clients to move.
     *
     * @param tolerance the permitted fraction above the average, such as 0.1
     * @return the nodes' action in one line
     */
    CompletionStage<String> rebalance(double tolerance);

    /** Asks a client of another node to move to a node in service; no effect without that connection. */
    CompletionStage<Void> move(String connectionId, String redirectAddress);

    /** Each node's share of the clients, without silent ones. */
    CompletionStage<Loads> loads();

    /**
     * @param address {@code host:port} of HTTP
     * @param connections clients over gRPC
     * @param systemLoad load average of its machine
     * @param cpu busy share of its processors, 0 to 1
     */
    record Load(String address, int connections, double systemLoad, double cpu) {}

    /** @param members number of asked nodes, with this one */
    record Loads(List<Load> nodes, int members) {

        public Loads {
            nodes = List.copyOf(nodes);
        }

        public boolean isComplete() {
            return nodes.size() == members;
        }
    }

    static NodeOperations ofSingleServer(Supplier<Load> own) {
        return new NodeOperations() {

            @Override
            public CompletionStage<String> drain(String address) {
                return refused();
            }

            @Override
            public CompletionStage<String> undrain(String address) {
                return refused();
            }

            @Override
            public CompletionStage<String> rebalance(double tolerance) {
                return refused();
            }

            @Override
            public CompletionStage<Void> move(String connectionId, String redirectAddress) {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public CompletionStage<Loads> loads() {
                return CompletableFuture.completedFuture(new Loads(List.of(own.get()), 1));
            }

            private static CompletionStage<String> refused() {
                return CompletableFuture.failedFuture(new CairnException(
                        ErrorCode.UNSUPPORTED,
                        "this server is no node of a cluster, so its clients have no other node: start several servers with"
                                + " startup.sh -m cluster"));
            }
        };
    }
}

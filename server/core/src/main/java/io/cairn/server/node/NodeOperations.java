package io.cairn.server.node;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The actions of operators on the nodes of the cluster, and moves of clients. An action on another node is forwarded to
 * it. The stages fail with a {@link CairnException}: {@code UNSUPPORTED} on a single server, {@code INVALID_PARAMETER}
 * for an address that no member has, {@code UNAVAILABLE} if that node does not answer. Thread-safe; does not wait.
 */
public interface NodeOperations {

    /** By how much a node may have more clients than the average before it gives some away. */
    double TOLERANCE = 0.1;

    /**
     * Takes a node out of service: its clients are asked to move.
     *
     * @param address {@code host:port} of HTTP
     * @return what the node does now, in one line; {@code CONFLICT} if no other node is in service
     */
    CompletionStage<String> drain(String address);

    /** Ends the drain of a node; {@code CONFLICT} when it does not drain, or stops. */
    CompletionStage<String> undrain(String address);

    /**
     * Makes all nodes ask their surplus of clients to move.
     *
     * @param tolerance the fraction by which a node may be above the average, such as 0.1
     * @return what the nodes do now, in one line
     */
    CompletionStage<String> rebalance(double tolerance);

    /** Asks a client of another node to connect to a node in service; nothing happens when no node has that connection. */
    CompletionStage<Void> move(String connectionId, String redirectAddress);

    /** The share of the clients that each node takes; it is no failure when some do not answer. */
    CompletionStage<Loads> loads();

    /**
     * The load of one node.
     *
     * @param address {@code host:port} of HTTP
     * @param connections clients over gRPC
     * @param systemLoad the load average of its machine
     * @param cpu the share of its machine's processors that are busy, from 0 to 1
     */
    record Load(String address, int connections, double systemLoad, double cpu) {}

    /**
     * The loads of the nodes that answer.
     *
     * @param members how many nodes were asked, this one included
     */
    record Loads(List<Load> nodes, int members) {

        public Loads {
            nodes = List.copyOf(nodes);
        }

        public boolean isComplete() {
            return nodes.size() == members;
        }
    }

    /** Those of a server that belongs to no cluster. */
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

            /** There is no other node to share clients with. */
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

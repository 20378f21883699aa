package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import io.cairn.server.node.NodeOperations;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/core/cluster}: drains nodes, and spreads clients. */
public final class NodeOperationEndpoints {

    private static final Operation<Node> DRAIN = Operation.of(Node.FORM)
            .needs(Right.admin())
            .answers("string")
            .recordedAs(http -> new HttpAudit.Done("node.drain", Node.ADDRESS.of(http), null))
            .says("Drains a node of the cluster: takes it out of service and asks its clients to move to other nodes");
    private static final Operation<Node> UNDRAIN = Operation.of(Node.FORM)
            .needs(Right.admin())
            .answers("string")
            .recordedAs(http -> new HttpAudit.Done("node.undrain", Node.ADDRESS.of(http), null))
            .says("Ends the drain of a node and returns it to service");
    private static final Operation<HttpRequest> REBALANCE = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers("string")
            .recordedAs(http -> new HttpAudit.Done("node.rebalance", "*", null))
            .says("Asks clients of nodes with more than their share to move to nodes with fewer");

    private final NodeOperations operations;
    private final Endpoints endpoints;

    public NodeOperationEndpoints(NodeOperations operations, ContainerErrors container) {
        this.operations = operations;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    /** @param address {@code host:port} as in the list of nodes */
    record Node(String address) {

        private static final Parameter<String> ADDRESS =
                Parameter.text("address", "The node, as host:port of the list of nodes");

        static final Form<Node> FORM = Form.of(ADDRESS.required())
                .as(request -> new Node(ADDRESS.of(request).strip()));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.post(
                        "/v3/admin/core/cluster/node/drain",
                        DRAIN,
                        (node, http) -> written(operations.drain(node.address))),
                endpoints.post(
                        "/v3/admin/core/cluster/node/undrain",
                        UNDRAIN,
                        (node, http) -> written(operations.undrain(node.address))),
                endpoints.post(
                        "/v3/admin/core/cluster/rebalance",
                        REBALANCE,
                        request -> written(operations.rebalance(NodeOperations.TOLERANCE))));
    }

    private static CompletionStage<HttpResponse> written(CompletionStage<String> line) {
        return line.thenApply(V3.ENVELOPE::written);
    }
}

package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClusterStatus;
import io.cairn.server.http.core.ClusterStatusReads;
import io.cairn.server.http.core.ConnectionReads;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** All nodes and their clients. */
public final class ClusterEndpoints {

    private static final Operation<HttpRequest> STATUS = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(ClusterStatus.class)
            .ofAllNodes()
            .says("Describes each node: its state with the reason, its own and copied registrations, and its lag");
    private static final Operation<HttpRequest> CONNECTIONS = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(Answer.listOf(ConnectionReads.NodeConnection.class))
            .ofAllNodes()
            .says("Lists the connections of clients over gRPC to all nodes");

    private final ClusterStatusReads status;
    private final ConnectionReads connections;
    private final Endpoints endpoints;

    public ClusterEndpoints(ClusterStatusReads status, ConnectionReads connections, ContainerErrors container) {
        this.status = status;
        this.connections = connections;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get("/v3/admin/core/cluster/status", STATUS, this::status),
                endpoints.get("/v3/admin/core/connection/list", CONNECTIONS, this::connections));
    }

    private CompletionStage<HttpResponse> status(HttpRequest request) {
        return status.read(V3.ENVELOPE::written);
    }

    private CompletionStage<HttpResponse> connections(HttpRequest request) {
        return connections.all().thenApply(found -> V3.ENVELOPE.written(Rows.of(found.rows()), found.silent()));
    }
}

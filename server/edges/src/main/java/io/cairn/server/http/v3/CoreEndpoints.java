package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.core.NodeEndpoints;
import io.cairn.server.http.core.NodeQuery;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

public final class CoreEndpoints {

    private static final String LOADER = "/v3/admin/core/loader";

    private static final Operation<HttpRequest> CLUSTER_LOAD = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(ClientLoad.Load.class)
            .says("Shows the number of connections of each node");

    private final ClusterNodes cluster;
    private final NodeEndpoints nodes;
    private final ClientLoad load;
    private final Endpoints endpoints;

    public CoreEndpoints(ClusterNodes nodes, ClientLoad load, LogLevels logLevels, ContainerErrors container) {
        EnvelopeErrors errors = V3.errors(container);
        this.cluster = nodes;
        this.nodes = new NodeEndpoints(
                nodes,
                logLevels,
                new NodeEndpoints.Version(
                        "/v3/admin/core",
                        V3.ENVELOPE,
                        errors,
                        errors,
                        NodeEndpoints.Lookup.FORM,
                        NodeEndpoints.RaftOperation.FORM.and(
                                Parameter.ignored("command", "string"), Parameter.ignored("value", "string")),
                        30_000));
        this.load = load;
        this.endpoints = new Endpoints(errors);
    }

    public List<HttpRoute> adminRoutes() {
        List<HttpRoute> routes = new ArrayList<>(nodes.routes());
        routes.add(endpoints.get(LOADER + "/current", ClientLoad.CURRENT, request -> written(load.current())));
        routes.add(endpoints.get(
                LOADER + "/cluster", CLUSTER_LOAD, request -> load.clusterV3().thenApply(V3.ENVELOPE::written)));
        routes.add(endpoints.post(LOADER + "/reloadCurrent", ClientLoad.REDUCE, (request, http) -> {
            load.reduce(request);
            return V3.NULL;
        }));
        routes.add(endpoints.post(
                LOADER + "/smartReloadCluster",
                ClientLoad.SPREAD.readBy(ClientLoad.Spreading.OF_MAINTAINER),
                (request, http) -> load.spread(request).thenCompose(done -> V3.NULL)));
        routes.add(endpoints.post(LOADER + "/reloadClient", ClientLoad.RELOAD, (request, http) -> load.reload(request)
                .thenCompose(done -> V3.NULL)));
        return routes;
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(endpoints.get(
                "/v3/console/core/cluster/nodes",
                NodeEndpoints.LIST.readBy(NodeQuery.BY_KEYWORD),
                (query, http) -> written(cluster.find(query))));
    }

    private static CompletionStage<HttpResponse> written(Object data) {
        return CompletableFuture.completedFuture(V3.ENVELOPE.written(data));
    }
}

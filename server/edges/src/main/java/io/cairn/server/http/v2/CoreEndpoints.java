package io.cairn.server.http.v2;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.core.NodeEndpoints;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Operation.Wrapping;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

public final class CoreEndpoints {

    private static final String LOADER = "/v2/core/loader";
    private static final HttpResponse RELOADED = HttpResponse.ok(HttpResponse.TEXT, "success");
    private static final HttpResponse SPREAD = HttpResponse.ok(HttpResponse.TEXT, "Ok");

    private static final Parameter<String> ADDRESSES = Parameter.exact("addresses", "The addresses of the nodes");
    private static final Operation<HttpRequest> REMOVE_NODES = Operation.of(ADDRESSES)
            .needs(Right.admin())
            .answers("string")
            .says("Refuses to remove nodes: a node leaves when it stops");
    private static final Operation<HttpRequest> CLUSTER_LOAD = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(ClientLoad.OldLoad.class)
            .as(Wrapping.BARE)
            .says("Shows the number of connections of each node");

    private final NodeEndpoints nodes;
    private final ClientLoad load;

    public CoreEndpoints(ClusterNodes nodes, ClientLoad load, LogLevels logLevels) {
        this.nodes = new NodeEndpoints(
                nodes,
                logLevels,
                new NodeEndpoints.Version(
                        "/v2/core",
                        V2.ENVELOPE,
                        V2.ERRORS,
                        V2.SINGLE_PARAMETERS,
                        NodeEndpoints.Lookup.PARAMETER,
                        NodeEndpoints.RaftOperation.FORM,
                        500));
        this.load = load;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(V2.ERRORS);
        Endpoints singles = new Endpoints(V2.SINGLE_PARAMETERS);
        List<HttpRoute> routes = new ArrayList<>(nodes.routes());
        routes.add(endpoints.delete("/v2/core/cluster/nodes", REMOVE_NODES, this::remove));
        routes.add(endpoints.get(
                LOADER + "/current", ClientLoad.CURRENT.as(Wrapping.BARE), request -> written(load.current())));
        routes.add(endpoints.get(
                LOADER + "/cluster", CLUSTER_LOAD, request -> load.clusterV2().thenApply(CoreEndpoints::response)));
        routes.add(singles.get(
                LOADER + "/reloadCurrent", ClientLoad.REDUCE.answers("string").as(Wrapping.TEXT), (request, http) -> {
                    load.reduce(request);
                    return CompletableFuture.completedFuture(RELOADED);
                }));
        routes.add(singles.get(
                LOADER + "/smartReloadCluster",
                ClientLoad.SPREAD.answers("string").as(Wrapping.TEXT),
                (request, http) -> {
                    return load.spread(request).thenApply(done -> SPREAD);
                }));
        routes.add(singles.get(
                LOADER + "/reloadClient", ClientLoad.RELOAD.answers("string").as(Wrapping.TEXT), (request, http) -> {
                    return load.reload(request).thenApply(done -> RELOADED);
                }));
        return routes;
    }

    private CompletionStage<HttpResponse> remove(HttpRequest request) {
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                "addresses: '" + ADDRESSES.sent(request)
                        + "': a node leaves the cluster when it stops: stop it, and take it off the list of nodes");
    }

    private static CompletionStage<HttpResponse> written(Object data) {
        return CompletableFuture.completedFuture(response(data));
    }

    private static HttpResponse response(Object data) {
        return V2.ENVELOPE.bare(data);
    }
}

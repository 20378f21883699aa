package io.cairn.server.http.v2;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v2/core}: nodes, connections, operations. */
public final class CoreEndpoints {

    private static final HttpResponse RELOADED = HttpResponse.ok(HttpResponse.TEXT, "success");
    private static final HttpResponse SPREAD = HttpResponse.ok(HttpResponse.TEXT, "Ok");

    private final ClusterNodes nodes;
    private final ClientLoad load;
    private final LogLevels logLevels;

    public CoreEndpoints(ClusterNodes nodes, ClientLoad load, LogLevels logLevels) {
        this.nodes = nodes;
        this.load = load;
        this.logLevels = logLevels;
    }

    public List<HttpRoute> routes() {
        List<HttpRoute> routes = new ArrayList<>();
        nodeRoutes(routes);
        loaderRoutes("/v2/core/loader", routes);
        routes.add(HttpRoute.post("/v2/core/ops/raft", V2.ERRORS, this::raft)
                .does(OldOperation.of("Refuses operations on Raft groups, of which there are none", "groupId", "string")
                        .with(OldOperation.Body.JSON)));
        routes.add(HttpRoute.get(
                        "/v2/core/ops/ids", V2.ERRORS, request -> V2.data("[]".getBytes(StandardCharsets.UTF_8)))
                .does(OldOperation.of("Lists the generators of ids; the database makes them here", "", "[object]")));
        routes.add(HttpRoute.put("/v2/core/ops/log", V2.ERRORS, this::setLogLevel)
                .does(OldOperation.of("Sets how much is logged", "logName logLevel", "null")
                        .with(OldOperation.Body.JSON)));
        return routes;
    }

    private void nodeRoutes(List<HttpRoute> routes) {
        String base = "/v2/core/cluster/node";
        HttpEndpoint self = request -> V2.data(nodes.selfJson());
        HttpEndpoint health = request -> CompletableFuture.completedFuture(V2.ENVELOPE.success("UP"));
        OldOperation describesSelf = OldOperation.of("Describes this node", "", "Member");
        OldOperation tellsState = OldOperation.of("Tells the state of this node", "", "string");
        OldOperation lists = OldOperation.of("Lists the nodes", "address state", "[Member]");
        OldOperation reports = OldOperation.of(
                        "Takes what a node reports of others; they are not believed", "", "boolean")
                .with(OldOperation.Body.JSON);
        OldOperation looksUp = OldOperation.of("Chooses how nodes find each other", "type!", "boolean");
        OldOperation removes =
                OldOperation.of("Refuses to remove nodes, of which there are no others", "addresses", "string");
        routes.add(HttpRoute.get(base + "/self", V2.ERRORS, self).does(describesSelf));
        routes.add(HttpRoute.get(base + "/self/health", V2.ERRORS, health).does(tellsState));
        routes.add(HttpRoute.get(base + "/list", V2.ERRORS, this::list).does(lists));
        routes.add(HttpRoute.put(base + "/list", V2.ERRORS, request -> V2.TRUE).does(reports));
        routes.add(HttpRoute.put("/v2/core/cluster/lookup", V2.SINGLE_PARAMETERS, this::lookup)
                .does(looksUp));
        routes.add(HttpRoute.delete("/v2/core/cluster/nodes", V2.ERRORS, this::remove)
                .does(removes));
    }

    private void loaderRoutes(String base, List<HttpRoute> routes) {
        routes.add(HttpRoute.get(base + "/current", V2.ERRORS, request -> json(load.current()))
                .does(OldOperation.of("Lists the connections of this node by their id", "", "object")
                        .as(OldOperation.Form.BARE)));
        routes.add(HttpRoute.get(base + "/cluster", V2.ERRORS, request -> json(load.clusterV2()))
                .does(OldOperation.of("Tells how the connections are spread over the nodes", "", "object")
                        .as(OldOperation.Form.BARE)));
        routes.add(HttpRoute.get(base + "/reloadCurrent", V2.SINGLE_PARAMETERS, this::reduce)
                .does(OldOperation.of(
                                "Asks clients to connect elsewhere until so many are left",
                                "count!:integer redirectAddress",
                                "string")
                        .as(OldOperation.Form.TEXT)));
        routes.add(HttpRoute.get(base + "/smartReloadCluster", V2.SINGLE_PARAMETERS, this::spread)
                .does(OldOperation.of("Spreads clients evenly over the nodes", "loaderFactor:number", "string")
                        .as(OldOperation.Form.TEXT)));
        routes.add(HttpRoute.get(base + "/reloadClient", V2.SINGLE_PARAMETERS, this::reload)
                .does(OldOperation.of("Asks one client to connect elsewhere", "connectionId! redirectAddress", "string")
                        .as(OldOperation.Form.TEXT)));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return V2.data(nodes.json(request.parameter("address"), request.parameter("state")));
    }

    private CompletionStage<HttpResponse> lookup(HttpRequest request) {
        nodes.checkLookup(NamingParameters.required(request, "type"));
        return V2.TRUE;
    }

    private CompletionStage<HttpResponse> remove(HttpRequest request) {
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                "addresses: '" + request.parameter("addresses") + "' (expected: other nodes, of which there are none)");
    }

    private CompletionStage<HttpResponse> reduce(HttpRequest request) {
        load.reduceTo(NamingParameters.requiredNumber(request, "count"), request.parameter("redirectAddress"));
        return CompletableFuture.completedFuture(RELOADED);
    }

    private CompletionStage<HttpResponse> spread(HttpRequest request) {
        String factor = NamingParameters.text(request, "loaderFactor");
        load.spread(factor == null ? "0.1" : factor);
        return CompletableFuture.completedFuture(SPREAD);
    }

    private CompletionStage<HttpResponse> reload(HttpRequest request) {
        load.reload(NamingParameters.required(request, "connectionId"), request.parameter("redirectAddress"));
        return CompletableFuture.completedFuture(RELOADED);
    }

    private CompletionStage<HttpResponse> raft(HttpRequest request) {
        return json(refusedRaft(JsonFields.text(request, "groupId")));
    }

    /** In the words of a server that does not know the group. */
    private static byte[] refusedRaft(@Nullable String group) {
        return new JsonOutput(96)
                .number("code", 500)
                .text("message", "not this raft group : " + group)
                .json("data", "null")
                .toBytes();
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        logLevels.set(JsonFields.required(request, "logName"), JsonFields.required(request, "logLevel"));
        return V2.data("null".getBytes(StandardCharsets.UTF_8));
    }

    private static CompletionStage<HttpResponse> json(byte[] json) {
        return CompletableFuture.completedFuture(V2.ENVELOPE.plain(200, json));
    }
}

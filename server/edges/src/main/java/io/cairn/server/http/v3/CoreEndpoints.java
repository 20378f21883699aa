package io.cairn.server.http.v3;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/core} and {@code /v3/console/core/cluster}: nodes, connections, operations. */
public final class CoreEndpoints {

    private static final String NODE = "/v3/admin/core/cluster/node";
    private static final String OPS = "/v3/admin/core/ops";
    private static final String LOADER = "/v3/admin/core/loader";

    private final ClusterNodes nodes;
    private final ClientLoad load;
    private final LogLevels logLevels;
    private final EnvelopeErrors errors;

    public CoreEndpoints(ClusterNodes nodes, ClientLoad load, LogLevels logLevels, ContainerErrors container) {
        this.nodes = nodes;
        this.load = load;
        this.logLevels = logLevels;
        this.errors = V3.errors(container);
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get(NODE + "/self", errors, request -> V3.data(nodes.selfJson()))
                        .does(OldOperation.of("Describes this node", "", "Member")),
                HttpRoute.get(NODE + "/self/health", errors, this::health)
                        .does(OldOperation.of("Tells the state of this node", "", "string")),
                HttpRoute.get(NODE + "/list", errors, this::list)
                        .does(OldOperation.of("Lists the nodes", "address state", "[Member]")),
                HttpRoute.put(NODE + "/list", errors, request -> V3.TRUE)
                        .does(OldOperation.of(
                                        "Takes what a node reports of others; they are not believed", "", "boolean")
                                .with(OldOperation.Body.JSON)),
                HttpRoute.put("/v3/admin/core/cluster/lookup", errors, this::lookup)
                        .does(OldOperation.of("Chooses how nodes find each other", "type!", "boolean")),
                HttpRoute.post(OPS + "/raft", errors, this::raft)
                        .does(OldOperation.of(
                                        "Refuses operations on Raft groups, of which there are none",
                                        "groupId command value",
                                        "string")
                                .with(OldOperation.Body.JSON)),
                HttpRoute.get(OPS + "/ids", errors, request -> V3.data("[]".getBytes(StandardCharsets.UTF_8)))
                        .does(OldOperation.of(
                                "Lists the generators of ids; the database makes them here", "", "[object]")),
                HttpRoute.put(OPS + "/log", errors, this::setLogLevel)
                        .does(OldOperation.of("Sets how much is logged", "logName logLevel", "null")
                                .with(OldOperation.Body.JSON)),
                HttpRoute.get(LOADER + "/current", errors, request -> V3.data(load.current()))
                        .does(OldOperation.of("Lists the connections of this node by their id", "", "object")),
                HttpRoute.get(LOADER + "/cluster", errors, request -> V3.data(load.clusterV3()))
                        .does(OldOperation.of("Tells how the connections are spread over the nodes", "", "Load")),
                HttpRoute.post(LOADER + "/reloadCurrent", errors, this::reduce)
                        .does(OldOperation.of(
                                "Asks clients to connect elsewhere until so many are left",
                                "count!:integer redirectAddress",
                                "null")),
                HttpRoute.post(LOADER + "/smartReloadCluster", errors, this::spread)
                        .does(OldOperation.of(
                                "Spreads clients evenly over the nodes",
                                "loaderFactor:number loaderFactorStr:number",
                                "null")),
                HttpRoute.post(LOADER + "/reloadClient", errors, this::reload)
                        .does(OldOperation.of(
                                "Asks one client to connect elsewhere", "connectionId! redirectAddress", "null")));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(HttpRoute.get("/v3/console/core/cluster/nodes", errors, this::consoleList)
                .does(OldOperation.of("Lists the nodes", "keyword", "[Member]")));
    }

    private CompletionStage<HttpResponse> health(HttpRequest request) {
        return CompletableFuture.completedFuture(V3.ENVELOPE.success("UP"));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return V3.data(nodes.json(request.parameter("address"), request.parameter("state")));
    }

    private CompletionStage<HttpResponse> consoleList(HttpRequest request) {
        return V3.data(nodes.json(request.parameter("keyword"), null));
    }

    private CompletionStage<HttpResponse> lookup(HttpRequest request) {
        nodes.checkLookup(JsonFields.required(request, "type"));
        return V3.TRUE;
    }

    private CompletionStage<HttpResponse> raft(HttpRequest request) {
        return CompletableFuture.completedFuture(V3.ENVELOPE.plain(
                200,
                new JsonOutput(96)
                        .number("code", 30_000)
                        .text("message", "not this raft group : " + JsonFields.text(request, "groupId"))
                        .json("data", "null")
                        .toBytes()));
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        logLevels.set(JsonFields.required(request, "logName"), JsonFields.required(request, "logLevel"));
        return V3.NULL;
    }

    private CompletionStage<HttpResponse> reduce(HttpRequest request) {
        load.reduceTo(NamingParameters.requiredNumber(request, "count"), request.parameter("redirectAddress"));
        return V3.NULL;
    }

    private CompletionStage<HttpResponse> spread(HttpRequest request) {
        String factor = NamingParameters.text(request, "loaderFactor");
        // The maintainer client has a name of its own for it.
        String other = NamingParameters.text(request, "loaderFactorStr");
        load.spread(factor != null ? factor : other != null ? other : "0.1");
        return V3.NULL;
    }

    private CompletionStage<HttpResponse> reload(HttpRequest request) {
        load.reload(NamingParameters.required(request, "connectionId"), request.parameter("redirectAddress"));
        return V3.NULL;
    }
}

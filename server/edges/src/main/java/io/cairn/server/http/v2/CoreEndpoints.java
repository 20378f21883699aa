package io.cairn.server.http.v2;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v2/core}: nodes, connections, operations. */
public final class CoreEndpoints {

    private static final HttpAnswer RELOADED = HttpAnswer.ok(HttpAnswer.TEXT, "success");
    private static final HttpAnswer SPREAD = HttpAnswer.ok(HttpAnswer.TEXT, "Ok");

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
                .does(Operation.of("Refuses operations on Raft groups, of which there are none", "groupId", "string")
                        .with(Operation.Body.JSON)));
        routes.add(HttpRoute.get("/v2/core/ops/ids", V2.ERRORS, call -> V2.data("[]".getBytes(StandardCharsets.UTF_8)))
                .does(Operation.of("Lists the generators of ids; the database makes them here", "", "[object]")));
        routes.add(HttpRoute.put("/v2/core/ops/log", V2.ERRORS, this::setLogLevel)
                .does(Operation.of("Sets how much is logged", "logName logLevel", "null")
                        .with(Operation.Body.JSON)));
        return routes;
    }

    private void nodeRoutes(List<HttpRoute> routes) {
        String base = "/v2/core/cluster/node";
        HttpEndpoint self = call -> V2.data(nodes.selfJson());
        HttpEndpoint health = call -> CompletableFuture.completedFuture(V2.ENVELOPE.success("UP"));
        Operation describesSelf = Operation.of("Describes this node", "", "Member");
        Operation tellsState = Operation.of("Tells the state of this node", "", "string");
        Operation lists = Operation.of("Lists the nodes", "address state", "[Member]");
        Operation reports = Operation.of("Takes what a node reports of others; they are not believed", "", "boolean")
                .with(Operation.Body.JSON);
        Operation looksUp = Operation.of("Chooses how nodes find each other", "type!", "boolean");
        Operation removes =
                Operation.of("Refuses to remove nodes, of which there are no others", "addresses", "string");
        routes.add(HttpRoute.get(base + "/self", V2.ERRORS, self).does(describesSelf));
        routes.add(HttpRoute.get(base + "/self/health", V2.ERRORS, health).does(tellsState));
        routes.add(HttpRoute.get(base + "/list", V2.ERRORS, this::list).does(lists));
        routes.add(HttpRoute.put(base + "/list", V2.ERRORS, call -> V2.TRUE).does(reports));
        routes.add(HttpRoute.put("/v2/core/cluster/lookup", V2.SINGLE_PARAMETERS, this::lookup)
                .does(looksUp));
        routes.add(HttpRoute.delete("/v2/core/cluster/nodes", V2.ERRORS, this::remove)
                .does(removes));
    }

    private void loaderRoutes(String base, List<HttpRoute> routes) {
        routes.add(HttpRoute.get(base + "/current", V2.ERRORS, call -> json(load.current()))
                .does(Operation.of("Lists the connections of this node by their id", "", "object")
                        .as(Operation.Form.BARE)));
        routes.add(HttpRoute.get(base + "/cluster", V2.ERRORS, call -> json(load.clusterV2()))
                .does(Operation.of("Tells how the connections are spread over the nodes", "", "object")
                        .as(Operation.Form.BARE)));
        routes.add(HttpRoute.get(base + "/reloadCurrent", V2.SINGLE_PARAMETERS, this::reduce)
                .does(Operation.of(
                                "Asks clients to connect elsewhere until so many are left",
                                "count!:integer redirectAddress",
                                "string")
                        .as(Operation.Form.TEXT)));
        routes.add(HttpRoute.get(base + "/smartReloadCluster", V2.SINGLE_PARAMETERS, this::spread)
                .does(Operation.of("Spreads clients evenly over the nodes", "loaderFactor:number", "string")
                        .as(Operation.Form.TEXT)));
        routes.add(HttpRoute.get(base + "/reloadClient", V2.SINGLE_PARAMETERS, this::reload)
                .does(Operation.of("Asks one client to connect elsewhere", "connectionId! redirectAddress", "string")
                        .as(Operation.Form.TEXT)));
    }

    private CompletionStage<HttpAnswer> list(HttpCall call) {
        return V2.data(nodes.json(call.parameter("address"), call.parameter("state")));
    }

    private CompletionStage<HttpAnswer> lookup(HttpCall call) {
        nodes.checkLookup(NamingParameters.required(call, "type"));
        return V2.TRUE;
    }

    private CompletionStage<HttpAnswer> remove(HttpCall call) {
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                "addresses: '" + call.parameter("addresses") + "' (expected: other nodes, of which there are none)");
    }

    private CompletionStage<HttpAnswer> reduce(HttpCall call) {
        load.reduceTo(NamingParameters.requiredNumber(call, "count"), call.parameter("redirectAddress"));
        return CompletableFuture.completedFuture(RELOADED);
    }

    private CompletionStage<HttpAnswer> spread(HttpCall call) {
        String factor = NamingParameters.text(call, "loaderFactor");
        load.spread(factor == null ? "0.1" : factor);
        return CompletableFuture.completedFuture(SPREAD);
    }

    private CompletionStage<HttpAnswer> reload(HttpCall call) {
        load.reload(NamingParameters.required(call, "connectionId"), call.parameter("redirectAddress"));
        return CompletableFuture.completedFuture(RELOADED);
    }

    private CompletionStage<HttpAnswer> raft(HttpCall call) {
        return json(refusedRaft(JsonFields.text(call, "groupId")));
    }

    /** In the words of a server that does not know the group. */
    private static byte[] refusedRaft(@Nullable String group) {
        return new JsonOutput(96)
                .number("code", 500)
                .text("message", "not this raft group : " + group)
                .json("data", "null")
                .toBytes();
    }

    private CompletionStage<HttpAnswer> setLogLevel(HttpCall call) {
        logLevels.set(JsonFields.required(call, "logName"), JsonFields.required(call, "logLevel"));
        return V2.data("null".getBytes(StandardCharsets.UTF_8));
    }

    private static CompletionStage<HttpAnswer> json(byte[] json) {
        return CompletableFuture.completedFuture(V2.ENVELOPE.plain(200, json));
    }
}

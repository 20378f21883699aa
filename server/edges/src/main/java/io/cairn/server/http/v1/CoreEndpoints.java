package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.LogLevel;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.core.NodeEndpoints;
import io.cairn.server.http.core.NodeQuery;
import io.cairn.server.http.core.StateActions;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Operation.Wrapping;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/core/cluster} and {@code /v1/core/ops}: nodes and operations. */
public final class CoreEndpoints {

    private static final String CLUSTER = "/v1/core/cluster";
    private static final String OPS = "/v1/core/ops";

    private static final Operation<HttpRequest> ADDRESSES = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(Answer.listOf("string"))
            .as(Wrapping.OLD_ENVELOPE)
            .says("Lists the addresses of the nodes");
    private static final Operation<HttpRequest> LEAVE = Operation.of(Form.NONE.with(Form.Body.JSON))
            .needs(Right.admin())
            .answers("string")
            .as(Wrapping.OLD_ENVELOPE)
            .says("Refuses to remove nodes: a node leaves when it stops");
    private static final Operation<HttpRequest> IDS = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers("object")
            .as(Wrapping.OLD_ENVELOPE)
            .says("Lists the generators of ids; the database makes them here");

    private final ClusterNodes nodes;
    private final LogLevels logLevels;

    public CoreEndpoints(ClusterNodes nodes, LogLevels logLevels) {
        this.nodes = nodes;
        this.logLevels = logLevels;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1ConfigErrors());
        return List.of(
                endpoints.get(
                        CLUSTER + "/nodes",
                        old(NodeEndpoints.LIST).readBy(NodeQuery.BY_KEYWORD),
                        (query, http) -> success(nodes.find(query))),
                endpoints.get(CLUSTER + "/self", old(NodeEndpoints.SELF), request -> success(nodes.selfAsMember())),
                endpoints.get(CLUSTER + "/simple/nodes", ADDRESSES, request -> success(nodes.addresses())),
                endpoints.get(CLUSTER + "/health", old(NodeEndpoints.HEALTH), request -> success(nodes.state())),
                endpoints.post(CLUSTER + "/report", old(NodeEndpoints.REPORT), request -> success(true)),
                endpoints.post(CLUSTER + "/switch/lookup", old(NodeEndpoints.LOOKUP), this::lookup),
                endpoints.post(CLUSTER + "/server/leave", LEAVE, this::leave),
                endpoints.get(
                        "/v1/console/server/announcement", old(StateActions.ANNOUNCEMENT), request -> success(null)),
                endpoints.get("/v1/console/server/guide", old(StateActions.GUIDE), request -> success(null)),
                endpoints.post(OPS + "/raft", old(NodeEndpoints.RAFT), (request, http) -> json(request.refusal(500))),
                endpoints.get(OPS + "/idInfo", IDS, request -> success(Map.of())),
                endpoints.put(OPS + "/log", NodeEndpoints.LOG.answers("string").as(Wrapping.TEXT), this::setLogLevel));
    }

    private static <T> Operation<T> old(Operation<T> operation) {
        return operation.as(Wrapping.OLD_ENVELOPE);
    }

    private CompletionStage<HttpResponse> lookup(NodeEndpoints.Lookup request, HttpRequest http) {
        nodes.checkLookup(request.type());
        return success(true);
    }

    private CompletionStage<HttpResponse> leave(HttpRequest request) {
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                "a node leaves the cluster when it stops: stop it, and take it off the list of nodes");
    }

    private CompletionStage<HttpResponse> setLogLevel(LogLevel request, HttpRequest http) {
        logLevels.set(request.log(), request.level());
        return CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "200"));
    }

    private static CompletionStage<HttpResponse> success(@Nullable Object data) {
        return json(JsonBody.enveloped(200, null, data));
    }

    private static CompletionStage<HttpResponse> json(JsonText json) {
        return CompletableFuture.completedFuture(
                HttpResponse.status(200).contentType(HttpResponse.JSON).body(json));
    }
}

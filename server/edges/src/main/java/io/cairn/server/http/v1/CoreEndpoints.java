package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/core/cluster} and {@code /v1/core/ops}: nodes and operations. */
public final class CoreEndpoints {

    private static final String CLUSTER = "/v1/core/cluster";
    private static final String OPS = "/v1/core/ops";

    private final ClusterNodes nodes;
    private final LogLevels logLevels;

    public CoreEndpoints(ClusterNodes nodes, LogLevels logLevels) {
        this.nodes = nodes;
        this.logLevels = logLevels;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                HttpRoute.get(CLUSTER + "/nodes", errors, this::list)
                        .does(old("Lists the nodes", "keyword", "[Member]")),
                HttpRoute.get(CLUSTER + "/self", errors, request -> success(text(nodes.selfJson())))
                        .does(old("Describes this node", "", "Member")),
                HttpRoute.get(CLUSTER + "/simple/nodes", errors, this::simple)
                        .does(old("Lists the addresses of the nodes", "", "[string]")),
                HttpRoute.get(CLUSTER + "/health", errors, request -> success("\"UP\""))
                        .does(old("Tells the state of this node", "", "string")),
                HttpRoute.post(CLUSTER + "/report", errors, request -> success("true"))
                        .does(old("Takes what a node reports of others; they are not believed", "", "boolean")
                                .with(OldOperation.Body.JSON)),
                HttpRoute.post(CLUSTER + "/switch/lookup", errors, this::lookup)
                        .does(old("Chooses how nodes find each other", "type!", "boolean")),
                HttpRoute.post(CLUSTER + "/server/leave", errors, this::leave)
                        .does(old("Refuses to remove nodes, of which there are no others", "", "string")
                                .with(OldOperation.Body.JSON)),
                HttpRoute.get("/v1/console/server/announcement", errors, request -> success("null"))
                        .does(old("Tells what operators are to be told: nothing", "language", "null")),
                HttpRoute.get("/v1/console/server/guide", errors, request -> success("null"))
                        .does(old("Tells how to begin: nothing", "", "null")),
                HttpRoute.post(OPS + "/raft", errors, this::raft)
                        .does(old("Refuses operations on Raft groups, of which there are none", "groupId", "string")
                                .with(OldOperation.Body.JSON)),
                HttpRoute.get(OPS + "/idInfo", errors, request -> success("{}"))
                        .does(old("Lists the generators of ids; the database makes them here", "", "object")),
                HttpRoute.put(OPS + "/log", errors, this::setLogLevel)
                        .does(OldOperation.of("Sets how much is logged", "logName logLevel", "string")
                                .with(OldOperation.Body.JSON)
                                .as(OldOperation.Form.TEXT)));
    }

    private static OldOperation old(String summary, String parameters, String answer) {
        return OldOperation.of(summary, parameters, answer).as(OldOperation.Form.OLD_ENVELOPE);
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return success(text(nodes.json(request.parameter("keyword"), null)));
    }

    private CompletionStage<HttpResponse> simple(HttpRequest request) {
        return success("[\"" + nodes.self() + "\"]");
    }

    private CompletionStage<HttpResponse> lookup(HttpRequest request) {
        nodes.checkLookup(JsonFields.required(request, "type"));
        return success("true");
    }

    private CompletionStage<HttpResponse> leave(HttpRequest request) {
        throw new CairnException(ErrorCode.INVALID_PARAMETER, "there are no other nodes that could leave");
    }

    private CompletionStage<HttpResponse> raft(HttpRequest request) {
        return answer(500, "not this raft group : " + JsonFields.text(request, "groupId"), "null");
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        logLevels.set(JsonFields.required(request, "logName"), JsonFields.required(request, "logLevel"));
        return CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "200"));
    }

    private static CompletionStage<HttpResponse> success(String data) {
        return answer(200, null, data);
    }

    private static CompletionStage<HttpResponse> answer(int code, @Nullable String message, String data) {
        byte[] json = new JsonOutput(64 + data.length())
                .number("code", code)
                .textOrNull("message", message)
                .json("data", data.getBytes(StandardCharsets.UTF_8))
                .toBytes();
        return CompletableFuture.completedFuture(
                HttpResponse.status(200).contentType(HttpResponse.JSON).body(json));
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}

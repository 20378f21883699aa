package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
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
                HttpRoute.get(CLUSTER + "/self", errors, call -> success(text(nodes.selfJson())))
                        .does(old("Describes this node", "", "Member")),
                HttpRoute.get(CLUSTER + "/simple/nodes", errors, this::simple)
                        .does(old("Lists the addresses of the nodes", "", "[string]")),
                HttpRoute.get(CLUSTER + "/health", errors, call -> success("\"UP\""))
                        .does(old("Tells the state of this node", "", "string")),
                HttpRoute.post(CLUSTER + "/report", errors, call -> success("true"))
                        .does(old("Takes what a node reports of others; they are not believed", "", "boolean")
                                .with(Operation.Body.JSON)),
                HttpRoute.post(CLUSTER + "/switch/lookup", errors, this::lookup)
                        .does(old("Chooses how nodes find each other", "type!", "boolean")),
                HttpRoute.post(CLUSTER + "/server/leave", errors, this::leave)
                        .does(old("Refuses to remove nodes, of which there are no others", "", "string")
                                .with(Operation.Body.JSON)),
                HttpRoute.get("/v1/console/server/announcement", errors, call -> success("null"))
                        .does(old("Tells what operators are to be told: nothing", "language", "null")),
                HttpRoute.get("/v1/console/server/guide", errors, call -> success("null"))
                        .does(old("Tells how to begin: nothing", "", "null")),
                HttpRoute.post(OPS + "/raft", errors, this::raft)
                        .does(old("Refuses operations on Raft groups, of which there are none", "groupId", "string")
                                .with(Operation.Body.JSON)),
                HttpRoute.get(OPS + "/idInfo", errors, call -> success("{}"))
                        .does(old("Lists the generators of ids; the database makes them here", "", "object")),
                HttpRoute.put(OPS + "/log", errors, this::setLogLevel)
                        .does(Operation.of("Sets how much is logged", "logName logLevel", "string")
                                .with(Operation.Body.JSON)
                                .as(Operation.Form.TEXT)));
    }

    private static Operation old(String summary, String parameters, String answer) {
        return Operation.of(summary, parameters, answer).as(Operation.Form.OLD_ENVELOPE);
    }

    private CompletionStage<HttpAnswer> list(HttpCall call) {
        return success(text(nodes.json(call.parameter("keyword"), null)));
    }

    private CompletionStage<HttpAnswer> simple(HttpCall call) {
        return success("[\"" + nodes.self() + "\"]");
    }

    private CompletionStage<HttpAnswer> lookup(HttpCall call) {
        nodes.checkLookup(JsonFields.required(call, "type"));
        return success("true");
    }

    private CompletionStage<HttpAnswer> leave(HttpCall call) {
        throw new CairnException(ErrorCode.INVALID_PARAMETER, "there are no other nodes that could leave");
    }

    private CompletionStage<HttpAnswer> raft(HttpCall call) {
        return answer(500, "not this raft group : " + JsonFields.text(call, "groupId"), "null");
    }

    private CompletionStage<HttpAnswer> setLogLevel(HttpCall call) {
        logLevels.set(JsonFields.required(call, "logName"), JsonFields.required(call, "logLevel"));
        return CompletableFuture.completedFuture(HttpAnswer.ok(HttpAnswer.TEXT, "200"));
    }

    private static CompletionStage<HttpAnswer> success(String data) {
        return answer(200, null, data);
    }

    private static CompletionStage<HttpAnswer> answer(int code, @Nullable String message, String data) {
        byte[] json = new JsonOutput(64 + data.length())
                .number("code", code)
                .textOrNull("message", message)
                .json("data", data.getBytes(StandardCharsets.UTF_8))
                .toBytes();
        return CompletableFuture.completedFuture(
                HttpAnswer.status(200).contentType(HttpAnswer.JSON).body(json));
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}

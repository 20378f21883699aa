package io.cairn.server.http.v1;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigOperations;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/cs/ops}: operations on configurations as a whole. There is none that runs SQL. */
public final class ConfigOpsEndpoints {

    private static final CompletionStage<HttpResponse> DONE =
            CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "200"));

    /** In the code of the reference, where this is off until somebody sets it; here it stays off. */
    private static final HttpResponse NO_SQL = HttpResponse.status(200)
            .contentType(HttpResponse.JSON_UTF8)
            .body(new JsonOutput(128)
                    .number("code", 500)
                    .text("message", "Derby ops is disabled: this server has no Derby and runs no SQL that it is sent.")
                    .json("data", "null")
                    .toBytes());

    private final LogLevels logLevels;

    public ConfigOpsEndpoints(LogLevels logLevels) {
        this.logLevels = logLevels;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1ConfigErrors());
        return List.of(
                // Memory changes with every commit, so there is nothing to bring up to date.
                endpoints.post(
                        "/v1/cs/ops/localCache", ConfigOperations.localCache(Operation.Wrapping.TEXT), request -> DONE),
                endpoints.get(
                        "/v1/cs/ops/derby", ConfigOperations.SQL, request -> CompletableFuture.completedFuture(NO_SQL)),
                endpoints.put("/v1/cs/ops/log", ConfigOperations.logLevel(Operation.Wrapping.TEXT), this::setLogLevel));
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        logLevels.set(JsonFields.required(request, "logName"), JsonFields.required(request, "logLevel"));
        return DONE;
    }
}

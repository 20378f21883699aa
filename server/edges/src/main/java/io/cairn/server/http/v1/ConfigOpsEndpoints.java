package io.cairn.server.http.v1;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigOperations;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.core.LogLevel;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/cs/ops}: operations on all configurations; SQL is always refused. */
public final class ConfigOpsEndpoints {

    private static final CompletionStage<HttpResponse> DONE =
            CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "200"));

    /** With the code of Nacos, where this is off by default. */
    private static final HttpResponse NO_SQL =
            refused("Derby ops is disabled: this server has no Derby and runs no SQL that it is sent.");

    /** Nacos runs the statements of a file in Derby here. */
    private static final HttpResponse NO_SQL_FILE = refused(
            "Limited to embedded storage mode: this server has no Derby and runs no SQL that it is sent. Import an archive of"
                    + " configurations, or restore a backup.");

    private final LogLevels logLevels;

    public ConfigOpsEndpoints(LogLevels logLevels) {
        this.logLevels = logLevels;
    }

    private static HttpResponse refused(String message) {
        return HttpResponse.status(200)
                .contentType(HttpResponse.JSON_UTF8)
                .body(new JsonOutput(128)
                        .number("code", 500)
                        .text("message", message)
                        .json("data", "null")
                        .toBytes());
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1ConfigErrors());
        return List.of(
                // Each commit updates the memory, so a reload is needless.
                endpoints.post(
                        "/v1/cs/ops/localCache", ConfigOperations.localCache(Operation.Wrapping.TEXT), request -> DONE),
                endpoints.get(
                        "/v1/cs/ops/derby", ConfigOperations.SQL, request -> CompletableFuture.completedFuture(NO_SQL)),
                endpoints.post(
                        "/v1/cs/ops/data/removal",
                        ConfigOperations.SQL_SCRIPT,
                        request -> CompletableFuture.completedFuture(NO_SQL_FILE)),
                endpoints.put("/v1/cs/ops/log", ConfigOperations.logLevel(Operation.Wrapping.TEXT), this::setLogLevel));
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        logLevels.set(JsonFields.required(request, LogLevel.NAME), JsonFields.required(request, LogLevel.LEVEL));
        return DONE;
    }
}

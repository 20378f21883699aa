package io.cairn.server.http.v1;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
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
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                // What is in memory changes with every commit, so there is nothing to bring up to date.
                HttpRoute.post("/v1/cs/ops/localCache", errors, request -> DONE)
                        .does(OldOperation.of("Says that what is in memory is what is stored", "", "string")
                                .as(OldOperation.Form.TEXT)),
                HttpRoute.get("/v1/cs/ops/derby", errors, request -> CompletableFuture.completedFuture(NO_SQL))
                        .does(OldOperation.of(
                                "Says that nobody sends SQL to the database through this server", "sql", "object")),
                HttpRoute.put("/v1/cs/ops/log", errors, this::setLogLevel)
                        .does(OldOperation.of(
                                        "Sets how much is logged of configurations", "logName! logLevel!", "string")
                                .as(OldOperation.Form.TEXT)));
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        logLevels.set(JsonFields.required(request, "logName"), JsonFields.required(request, "logLevel"));
        return DONE;
    }
}

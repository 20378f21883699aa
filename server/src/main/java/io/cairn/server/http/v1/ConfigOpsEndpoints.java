package io.cairn.server.http.v1;

import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.HttpRoute;
import io.cairn.server.http.Operation;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.naming.LogLevels;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/cs/ops}: operations on configurations as a whole. There is none that runs SQL. */
public final class ConfigOpsEndpoints {

    private static final CompletionStage<HttpAnswer> DONE =
            CompletableFuture.completedFuture(HttpAnswer.ok(HttpAnswer.TEXT, "200"));

    private final LogLevels logLevels;

    public ConfigOpsEndpoints(LogLevels logLevels) {
        this.logLevels = logLevels;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                // What is in memory changes with every commit, so there is nothing to bring up to date.
                HttpRoute.post("/v1/cs/ops/localCache", errors, call -> DONE)
                        .does(Operation.of("Says that what is in memory is what is stored", "", "string")
                                .as(Operation.Form.TEXT)),
                HttpRoute.put("/v1/cs/ops/log", errors, this::setLogLevel)
                        .does(Operation.of("Sets how much is logged of configurations", "logName! logLevel!", "string")
                                .as(Operation.Form.TEXT)));
    }

    private CompletionStage<HttpAnswer> setLogLevel(HttpCall call) {
        logLevels.set(JsonFields.required(call, "logName"), JsonFields.required(call, "logLevel"));
        return DONE;
    }
}

package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/cs/ops}: operations on configurations as a whole. */
public final class ConfigOpsEndpoints {

    private static final String OPS = "/v3/admin/cs/ops";

    /** What is in memory changes with every commit, so there is nothing to bring up to date. */
    private static final HttpResponse UP_TO_DATE = V3.ENVELOPE.success("Local cache updated from store successfully!");

    private static final String SAYS_NO_SQL = "Says that nobody sends SQL to the database through this server";
    private static final HttpResponse NO_SQL = V3.ENVELOPE.failure(
            501,
            DetailCode.FUNCTION_DISABLED,
            "Derby ops is disabled: this server has no Derby and runs no SQL that it is sent.");

    private final LogLevels logLevels;
    private final EnvelopeErrors errors;

    public ConfigOpsEndpoints(LogLevels logLevels, ContainerErrors container) {
        this.logLevels = logLevels;
        this.errors = V3.errors(container).forSingleParameters();
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.post(OPS + "/localCache", errors, request -> CompletableFuture.completedFuture(UP_TO_DATE))
                        .does(OldOperation.of("Says that what is in memory is what is stored", "", "string")),
                HttpRoute.get(OPS + "/derby", errors, request -> CompletableFuture.completedFuture(NO_SQL))
                        .does(OldOperation.of(SAYS_NO_SQL, "sql", "object")),
                HttpRoute.post(OPS + "/derby/import", errors, request -> CompletableFuture.completedFuture(NO_SQL))
                        .does(OldOperation.of(SAYS_NO_SQL, "", "object")),
                HttpRoute.put(OPS + "/log", errors, this::setLogLevel)
                        .does(OldOperation.of(
                                "Sets how much is logged of configurations", "logName! logLevel!", "string")));
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        String name = JsonFields.required(request, "logName");
        String level = JsonFields.required(request, "logLevel");
        logLevels.set(name, level);
        return CompletableFuture.completedFuture(
                V3.ENVELOPE.success("Log level updated successfully! Module: " + name + ", Log Level: " + level));
    }
}

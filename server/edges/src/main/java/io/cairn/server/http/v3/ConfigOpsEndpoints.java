package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigOperations;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.core.LogLevel;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

public final class ConfigOpsEndpoints {

    private static final String OPS = "/v3/admin/cs/ops";

    /** Memory changes with every commit, so it is always current. */
    private static final HttpResponse UP_TO_DATE = V3.ENVELOPE.success("Local cache updated from store successfully!");

    private static final HttpResponse NO_SQL = V3.ENVELOPE.failure(
            501,
            DetailCode.FUNCTION_DISABLED,
            "Derby ops is disabled: this server has no Derby and runs no SQL that it is sent.");

    private final LogLevels logLevels;
    private final Endpoints endpoints;

    public ConfigOpsEndpoints(LogLevels logLevels, ContainerErrors container) {
        this.logLevels = logLevels;
        this.endpoints = new Endpoints(V3.errors(container).forSingleParameters());
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.post(
                        OPS + "/localCache",
                        ConfigOperations.localCache(Operation.Wrapping.USUAL),
                        request -> CompletableFuture.completedFuture(UP_TO_DATE)),
                endpoints.get(
                        OPS + "/derby", ConfigOperations.SQL, request -> CompletableFuture.completedFuture(NO_SQL)),
                endpoints.post(
                        OPS + "/derby/import",
                        ConfigOperations.SQL_SCRIPT,
                        request -> CompletableFuture.completedFuture(NO_SQL)),
                endpoints.put(OPS + "/log", ConfigOperations.logLevel(Operation.Wrapping.USUAL), this::setLogLevel));
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        String name = JsonFields.required(request, LogLevel.NAME);
        String level = JsonFields.required(request, LogLevel.LEVEL);
        logLevels.set(name, level);
        return CompletableFuture.completedFuture(
                V3.ENVELOPE.success("Log level updated successfully! Module: " + name + ", Log Level: " + level));
    }
}

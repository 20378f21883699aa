package io.cairn.server.http.v1;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.ServerState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import tools.jackson.databind.json.JsonMapper;

/** {@code /v1/console} and {@code /v1/cs/health}: is it there, and what is it. */
public final class ConsoleEndpoints {

    private static final HttpResponse OK = HttpResponse.ok(HttpResponse.TEXT, "OK");

    private final ServerState state;
    private final JsonMapper json;
    private final Executor work;

    /** @param work a bounded pool on which the state is found out, for that may block */
    public ConsoleEndpoints(ServerState state, JsonMapper json, Executor work) {
        this.state = state;
        this.json = json;
        this.work = work;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                HttpRoute.get("/v1/console/health/liveness", errors, request -> CompletableFuture.completedFuture(OK)),
                HttpRoute.get("/v1/console/health/readiness", errors, this::readiness),
                HttpRoute.get("/v1/cs/health", errors, this::configHealth),
                HttpRoute.get("/v1/console/server/state", errors, this::serverState));
    }

    private CompletionStage<HttpResponse> readiness(HttpRequest request) {
        return CompletableFuture.supplyAsync(
                () -> {
                    String reason = state.notReadyBecause();
                    return reason == null ? OK : HttpResponse.of(500, HttpResponse.TEXT, reason);
                },
                work);
    }

    private CompletionStage<HttpResponse> configHealth(HttpRequest request) {
        return CompletableFuture.supplyAsync(
                () -> {
                    String reason = state.notReadyBecause();
                    return HttpResponse.ok(HttpResponse.TEXT, reason == null ? "UP" : "DOWN:" + reason);
                },
                work);
    }

    private CompletionStage<HttpResponse> serverState(HttpRequest request) {
        return CompletableFuture.completedFuture(
                HttpResponse.status(200).contentType(HttpResponse.JSON).body(json.writeValueAsBytes(state.settings())));
    }
}

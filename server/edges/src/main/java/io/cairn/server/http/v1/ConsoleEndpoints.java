package io.cairn.server.http.v1;

import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.StateActions;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@code /v1/console} and {@code /v1/cs/health}: liveness, readiness and settings. */
public final class ConsoleEndpoints {

    private static final HttpResponse OK = HttpResponse.ok(HttpResponse.TEXT, "OK");

    private final StateActions state;

    public ConsoleEndpoints(StateActions state) {
        this.state = state;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1ConfigErrors());
        return List.of(
                endpoints.get(
                        "/v1/console/health/liveness",
                        StateActions.LIVENESS,
                        request -> CompletableFuture.completedFuture(OK)),
                endpoints.get(
                        "/v1/console/health/readiness",
                        StateActions.READINESS,
                        state.readiness(
                                reason -> reason == null ? OK : HttpResponse.of(500, HttpResponse.TEXT, reason))),
                endpoints.get(
                        "/v1/cs/health",
                        StateActions.READINESS,
                        state.readiness(reason ->
                                HttpResponse.ok(HttpResponse.TEXT, reason == null ? "UP" : "DOWN:" + reason))),
                endpoints.get(
                        "/v1/console/server/state",
                        StateActions.SETTINGS,
                        request -> CompletableFuture.completedFuture(HttpResponse.status(200)
                                .contentType(HttpResponse.JSON)
                                .body(JsonBody.of(state.settings())))));
    }
}

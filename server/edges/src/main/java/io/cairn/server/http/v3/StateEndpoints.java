package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.ServerState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import tools.jackson.databind.json.JsonMapper;

/** Is it there, can it work, what is it: for clients that look before they register, for probes and consoles. */
public final class StateEndpoints {

    private final ServerState state;
    private final EnvelopeErrors errors;
    private final JsonMapper json;
    private final Executor work;

    /** @param work a bounded pool on which the state is found out, for that may block */
    public StateEndpoints(ServerState state, ContainerErrors container, JsonMapper json, Executor work) {
        this.state = state;
        this.errors = V3.errors(container);
        this.json = json;
        this.work = work;
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get("/v3/admin/core/state", errors, this::settings),
                HttpRoute.get("/v3/admin/core/state/liveness", errors, this::liveness),
                HttpRoute.get("/v3/admin/core/state/readiness", errors, this::readiness),
                // Where the maintainer client of 3.2 asks.
                HttpRoute.get("/v3/admin/core/ops/readiness", errors, this::readiness));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                HttpRoute.get("/v3/console/server/state", errors, this::plainSettings),
                HttpRoute.get("/v3/console/server/announcement", errors, request -> V3.NULL)
                        .does(OldOperation.of("Tells what operators are to be told: nothing", "language", "null")),
                HttpRoute.get("/v3/console/server/guide", errors, request -> V3.NULL)
                        .does(OldOperation.of("Tells how to begin: nothing", "", "null")),
                HttpRoute.get("/v3/console/health/liveness", errors, this::liveness),
                HttpRoute.get("/v3/console/health/readiness", errors, this::readiness));
    }

    private CompletionStage<HttpResponse> settings(HttpRequest request) {
        return V3.data(json.writeValueAsBytes(state.settings()));
    }

    private CompletionStage<HttpResponse> plainSettings(HttpRequest request) {
        return CompletableFuture.completedFuture(V3.ENVELOPE.plain(200, json.writeValueAsBytes(state.settings())));
    }

    private CompletionStage<HttpResponse> liveness(HttpRequest request) {
        return V3.OK;
    }

    private CompletionStage<HttpResponse> readiness(HttpRequest request) {
        return CompletableFuture.supplyAsync(
                () -> {
                    String reason = state.notReadyBecause();
                    return reason == null
                            ? V3.ENVELOPE.ok()
                            : V3.ENVELOPE.failure(500, DetailCode.SERVER_ERROR, reason);
                },
                work);
    }
}

package io.cairn.server.http.v2;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.ServerState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** {@code /v2/console/health}: is it there, can it work. */
public final class HealthEndpoints {

    private final ServerState state;
    private final Executor work;

    /** @param work a bounded pool on which the state is found out, for that may block */
    public HealthEndpoints(ServerState state, Executor work) {
        this.state = state;
        this.work = work;
    }

    public List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get(
                        "/v2/console/health/liveness",
                        V2.ERRORS,
                        request -> CompletableFuture.completedFuture(V2.ENVELOPE.ok())),
                HttpRoute.get("/v2/console/health/readiness", V2.ERRORS, this::readiness));
    }

    private CompletionStage<HttpResponse> readiness(HttpRequest request) {
        return CompletableFuture.supplyAsync(
                () -> {
                    String reason = state.notReadyBecause();
                    return reason == null
                            ? V2.ENVELOPE.ok()
                            : V2.ENVELOPE.failure(500, DetailCode.SERVER_ERROR, reason);
                },
                work);
    }
}

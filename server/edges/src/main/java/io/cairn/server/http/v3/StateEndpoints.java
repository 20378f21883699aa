package io.cairn.server.http.v3;

import io.cairn.server.http.core.StateActions;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpRoute;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Liveness, readiness and settings, for clients, probes and consoles. */
public final class StateEndpoints {

    private final StateActions state;
    private final HttpEndpoint liveness = StateActions.liveness(V3.ENVELOPE);
    private final HttpEndpoint readiness;
    private final Endpoints endpoints;

    public StateEndpoints(StateActions state, ContainerErrors container) {
        this.state = state;
        this.readiness = state.readiness(V3.ENVELOPE);
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get(
                        "/v3/admin/core/state",
                        StateActions.SETTINGS,
                        request -> CompletableFuture.completedFuture(V3.ENVELOPE.written(state.settings()))),
                endpoints.get("/v3/admin/core/state/liveness", StateActions.LIVENESS, liveness),
                endpoints.get("/v3/admin/core/state/readiness", StateActions.READINESS, readiness),
                // The path of the maintainer client of 3.2.
                endpoints.get("/v3/admin/core/ops/readiness", StateActions.READINESS, readiness));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                endpoints.get(
                        "/v3/console/server/state",
                        StateActions.SETTINGS,
                        request -> CompletableFuture.completedFuture(V3.ENVELOPE.bare(state.settings()))),
                endpoints.get("/v3/console/server/announcement", StateActions.ANNOUNCEMENT, request -> V3.NULL),
                endpoints.get("/v3/console/server/guide", StateActions.GUIDE, request -> V3.NULL),
                endpoints.get("/v3/console/health/liveness", StateActions.LIVENESS, liveness),
                endpoints.get("/v3/console/health/readiness", StateActions.READINESS, readiness));
    }
}

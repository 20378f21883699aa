package io.cairn.server.http.v2;

import io.cairn.server.http.core.StateActions;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import java.util.List;

public final class HealthEndpoints {

    private final StateActions state;

    public HealthEndpoints(StateActions state) {
        this.state = state;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(V2.ERRORS);
        return List.of(
                endpoints.get("/v2/console/health/liveness", StateActions.LIVENESS, StateActions.liveness(V2.ENVELOPE)),
                endpoints.get("/v2/console/health/readiness", StateActions.READINESS, state.readiness(V2.ENVELOPE)));
    }
}

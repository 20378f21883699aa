package io.cairn.server.http.v1;

import io.cairn.server.http.naming.MaintenanceMode;
import io.cairn.server.http.route.HttpRoute;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Everything below {@code /v1/ns}. */
public final class NamingEndpoints {

    private final InstanceEndpoints instances;
    private final ServiceEndpoints services;
    private final OperatorEndpoints operator;
    private final MaintenanceMode gate;
    private final V1NamingErrors errors;

    public NamingEndpoints(
            InstanceEndpoints instances,
            ServiceEndpoints services,
            OperatorEndpoints operator,
            MaintenanceMode gate,
            V1NamingErrors errors) {
        this.instances = instances;
        this.services = services;
        this.operator = operator;
        this.gate = gate;
        this.errors = errors;
    }

    public List<HttpRoute> routes() {
        List<HttpRoute> routes = new ArrayList<>();
        routes.addAll(gate.before(instances.routes()));
        routes.addAll(gate.before(services.routes()));
        routes.addAll(gate.before(operator.routes()));
        routes.addAll(operator.alwaysServed());
        // Other methods than this one are wrong here, and answered alike.
        routes.add(
                HttpRoute.get("/v1/ns/**", errors, call -> CompletableFuture.completedFuture(errors.noSuchApi(call))));
        return routes;
    }
}

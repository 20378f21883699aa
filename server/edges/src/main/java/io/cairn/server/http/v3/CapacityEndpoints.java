package io.cairn.server.http.v3;

import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.Capacity;
import io.cairn.server.http.config.CapacityRequest;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

public final class CapacityEndpoints {

    private static final String PATH = "/v3/admin/cs/capacity";
    private static final HttpResponse NEITHER = V3.ENVELOPE.failure(
            400,
            DetailCode.PARAMETER_MISSING,
            "At least one of the parameters (groupName or namespaceId) must be provided");

    private static final HttpResponse NOTHING_TO_SET = V3.ENVELOPE.failure(
            400,
            DetailCode.PARAMETER_MISSING,
            "The parameters quota, maxSize, maxAggrCount, maxAggrSize cannot be empty at the same time");

    private static final Operation<CapacityRequest> GET = CapacityRequest.show(ConfigForm.V3)
            .answers(Capacity.class)
            .says("Shows the quota of a group or a namespace, and its use");
    private static final Operation<CapacityRequest> SET = CapacityRequest.set(
                    ConfigForm.V3,
                    CapacityRequest.Limits.of((name, sentence) ->
                            Parameter.integer(name, sentence).orNone().absentAs("null")))
            .answers("boolean")
            .says("Sets the quota of a group or a namespace; 0 for the default");

    private final CapacityService capacities;
    private final Endpoints endpoints;

    public CapacityEndpoints(CapacityService capacities, ContainerErrors container) {
        this.capacities = capacities;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.get(PATH, GET, this::get), endpoints.post(PATH, SET, this::set));
    }

    private CompletionStage<HttpResponse> get(CapacityRequest request, HttpRequest http) {
        CapacityScope scope = request.scope();
        return scope == null
                ? CompletableFuture.completedFuture(NEITHER)
                : capacities.of(scope).thenApply(use -> V3.ENVELOPE.written(Capacity.of(use)));
    }

    private CompletionStage<HttpResponse> set(CapacityRequest request, HttpRequest http) {
        CapacityScope scope = request.scope();
        if (scope == null) {
            return CompletableFuture.completedFuture(NEITHER);
        }
        if (request.change().isEmpty()) {
            return CompletableFuture.completedFuture(NOTHING_TO_SET);
        }
        return capacities.set(scope, request.change(), RequestCaller.of(http)).thenCompose(use -> V3.TRUE);
    }
}

package io.cairn.server.http.v3;

import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.capacity.Capacity;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.config.capacity.CapacityUse;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v3/admin/cs/capacity}: how much a group or a namespace may hold, and how much it does. */
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

    private final CapacityService capacities;
    private final EnvelopeErrors errors;

    public CapacityEndpoints(CapacityService capacities, ContainerErrors container) {
        this.capacities = capacities;
        this.errors = V3.errors(container);
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get(PATH, errors, this::get)
                        .does(OldOperation.of(
                                "Tells how much a group or a namespace may hold, and how much it does",
                                "groupName namespaceId",
                                "Capacity")),
                HttpRoute.post(PATH, errors, this::set)
                        .does(OldOperation.of(
                                "Sets how much a group or a namespace may hold; 0 for the default",
                                "groupName namespaceId quota:integer maxSize:integer maxAggrCount:integer"
                                        + " maxAggrSize:integer",
                                "boolean")));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        CapacityScope scope = scope(request);
        return scope == null
                ? CompletableFuture.completedFuture(NEITHER)
                : capacities.of(scope).thenCompose(use -> V3.data(json(use)));
    }

    private CompletionStage<HttpResponse> set(HttpRequest request) {
        CapacityScope scope = scope(request);
        if (scope == null) {
            return CompletableFuture.completedFuture(NEITHER);
        }
        CapacityChange change = new CapacityChange(
                NamingParameters.numberFilter(request, "quota"),
                NamingParameters.numberFilter(request, "maxSize"),
                NamingParameters.numberFilter(request, "maxAggrCount"),
                NamingParameters.numberFilter(request, "maxAggrSize"));
        if (change.isEmpty()) {
            return CompletableFuture.completedFuture(NOTHING_TO_SET);
        }
        return capacities.set(scope, change, RequestCaller.of(request)).thenCompose(use -> V3.TRUE);
    }

    /** The namespace, or else the group; null when neither is named. */
    private static @Nullable CapacityScope scope(HttpRequest request) {
        String group = request.parameter("groupName");
        String namespace = request.parameter("namespaceId");
        ParameterCheck.config(null, group, namespace);
        if (namespace != null && !namespace.isBlank()) {
            return CapacityScope.ofNamespace(Namespace.ofNullable(namespace));
        }
        return group == null || group.isBlank() ? null : CapacityScope.ofGroup(group);
    }

    private static byte[] json(CapacityUse use) {
        Capacity capacity = use.capacity();
        boolean isNamespace = use.scope().kind() == CapacityScope.Kind.NAMESPACE;
        return new JsonOutput(192)
                .text("id", Long.toString(capacity.id()))
                .number("quota", capacity.quota())
                .number("usage", use.used())
                .number("maxSize", capacity.maxSizeBytes())
                .number("maxAggrCount", capacity.maxAggrCount())
                .number("maxAggrSize", capacity.maxAggrSize())
                // As recorded: the reference never fills them in.
                .json("gmtCreate", "null")
                .json("gmtModified", "null")
                .text(isNamespace ? "namespaceId" : "groupName", use.scope().name())
                .toBytes();
    }
}

package io.cairn.server.http.v1;

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
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/cs/capacity}: what a group or a namespace may hold. */
public final class CapacityEndpoints {

    private static final String PATH = "/v1/cs/capacity";

    private final CapacityService capacities;

    public CapacityEndpoints(CapacityService capacities) {
        this.capacities = capacities;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(HttpRoute.get(PATH, errors, this::get), HttpRoute.post(PATH, errors, this::set));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        CapacityScope scope = scope(request);
        return scope == null
                ? CompletableFuture.completedFuture(neither())
                : capacities.of(scope).thenApply(use -> ConfigLookups.envelope(null, json(use, request)));
    }

    private CompletionStage<HttpResponse> set(HttpRequest request) {
        CapacityScope scope = scope(request);
        if (scope == null) {
            return CompletableFuture.completedFuture(neither());
        }
        CapacityChange change = new CapacityChange(
                number(request, "quota"),
                number(request, "maxSize"),
                number(request, "maxAggrCount"),
                number(request, "maxAggrSize"));
        if (change.isEmpty()) {
            return CompletableFuture.completedFuture(refused(
                    "The parameters quota, maxSize, maxAggrCount, maxAggrSize cannot be empty at the same time",
                    "false"));
        }
        String done = "successfully updated the capacity information configuration of " + name(scope) + " to "
                + spelled(scope, request);
        return capacities
                .set(scope, change, RequestCaller.of(request))
                .thenApply(use -> ConfigLookups.envelope(done, "true"));
    }

    /** The namespace, or else the group; null when neither is named. */
    private static @Nullable CapacityScope scope(HttpRequest request) {
        String group = request.parameter("group");
        String tenant = request.parameter("tenant");
        ParameterCheck.config(null, group, tenant);
        if (tenant != null && !tenant.isBlank()) {
            return CapacityScope.ofNamespace(Namespace.ofNullable(tenant));
        }
        return group == null || group.isBlank() ? null : CapacityScope.ofGroup(group);
    }

    private static HttpResponse neither() {
        return refused("The parameter group and tenant cannot be empty at the same time", "null");
    }

    private static HttpResponse refused(String why, String data) {
        return HttpResponse.status(400)
                .contentType(HttpResponse.JSON_UTF8)
                .body(new JsonOutput(128)
                        .number("code", 400)
                        .text("message", why)
                        .json("data", data)
                        .toBytes());
    }

    private static @Nullable Integer number(HttpRequest request, String parameter) {
        String text = request.parameter(parameter);
        return text == null || text.isBlank() ? null : (Integer) V1Pages.number(text, 0, "java.lang.Integer");
    }

    private static String name(CapacityScope scope) {
        return scope.kind() == CapacityScope.Kind.NAMESPACE ? "tenant" : "group";
    }

    private static String spelled(CapacityScope scope, HttpRequest request) {
        return scope.kind() == CapacityScope.Kind.NAMESPACE ? ConfigLookups.spelled(request) : scope.name();
    }

    private static byte[] json(CapacityUse use, HttpRequest request) {
        Capacity capacity = use.capacity();
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
                .text(name(use.scope()), spelled(use.scope(), request))
                .toBytes();
    }
}

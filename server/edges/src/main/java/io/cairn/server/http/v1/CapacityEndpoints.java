package io.cairn.server.http.v1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.config.capacity.CapacityUse;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.Capacity;
import io.cairn.server.http.config.CapacityRequest;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

public final class CapacityEndpoints {

    private static final String PATH = "/v1/cs/capacity";

    private static final Operation<CapacityRequest> GET = CapacityRequest.show(V1Forms.FORM)
            .answers(OldCapacity.class)
            .as(Operation.Wrapping.OLD_ENVELOPE)
            .says("Shows the quota of a group or a namespace, and its use");
    private static final Operation<CapacityRequest> SET = CapacityRequest.set(
                    V1Forms.FORM,
                    CapacityRequest.Limits.of((name, sentence) -> Parameter.of(
                            name, "integer", sentence, (text, of) -> V1Pages.number(text, "java.lang.Integer"))))
            .answers("boolean")
            .as(Operation.Wrapping.OLD_ENVELOPE)
            .says("Sets the quota of a group or a namespace; 0 for the default");

    private final CapacityService capacities;

    public CapacityEndpoints(CapacityService capacities) {
        this.capacities = capacities;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1ConfigErrors());
        return List.of(endpoints.get(PATH, GET, this::get), endpoints.post(PATH, SET, this::set));
    }

    private CompletionStage<HttpResponse> get(CapacityRequest request, HttpRequest http) {
        CapacityScope scope = request.scope();
        return scope == null
                ? CompletableFuture.completedFuture(neither())
                : capacities.of(scope).thenApply(use -> ConfigLookups.written(null, OldCapacity.of(use)));
    }

    private CompletionStage<HttpResponse> set(CapacityRequest request, HttpRequest http) {
        CapacityScope scope = request.scope();
        if (scope == null) {
            return CompletableFuture.completedFuture(neither());
        }
        if (request.change().isEmpty()) {
            return CompletableFuture.completedFuture(refused(
                    "The parameters quota, maxSize, maxAggrCount, maxAggrSize cannot be empty at the same time",
                    "false"));
        }
        String done = "successfully updated the capacity information configuration of "
                + (isNamespace(scope) ? "tenant" : "group") + " to " + scope.name();
        return capacities
                .set(scope, request.change(), RequestCaller.of(http))
                .thenApply(use -> ConfigLookups.envelope(done, "true"));
    }

    private static boolean isNamespace(CapacityScope scope) {
        return scope.kind() == CapacityScope.Kind.NAMESPACE;
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

    /** The limits of a group or a namespace and their use, with the names that version 1 has for both. */
    record OldCapacity(
            String id,
            int quota,
            long usage,
            int maxSize,
            int maxAggrCount,
            int maxAggrSize,
            @Nullable String gmtCreate,
            @Nullable String gmtModified,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String group,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String tenant) {

        private static OldCapacity of(CapacityUse use) {
            Capacity same = Capacity.of(use);
            return new OldCapacity(
                    same.id(),
                    same.quota(),
                    same.usage(),
                    same.maxSize(),
                    same.maxAggrCount(),
                    same.maxAggrSize(),
                    same.gmtCreate(),
                    same.gmtModified(),
                    same.groupName(),
                    same.namespaceId());
        }
    }
}

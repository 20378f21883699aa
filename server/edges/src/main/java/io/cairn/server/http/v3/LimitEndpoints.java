package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import io.cairn.server.limit.ServerLimits;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@code /v3/admin/core/limits}: the limits of one client and their use. */
public final class LimitEndpoints {

    private static final Operation<HttpRequest> LIST = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(Answer.listOf(Limit.class))
            .says("Lists the limits, with their use and how often each was exceeded");

    private final ServerLimits limits;
    private final Endpoints endpoints;

    public LimitEndpoints(ServerLimits limits, ContainerErrors container) {
        this.limits = limits;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    /** @param exceeded number of times since the start */
    record Limit(String name, String setting, long used, long max, long exceeded) {}

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.get(
                "/v3/admin/core/limits",
                LIST,
                request -> CompletableFuture.completedFuture(V3.ENVELOPE.written(limits.all().stream()
                        .map(limit -> new Limit(
                                limit.name(), limit.setting(), limit.used(), limit.max(), limit.timesExceeded()))
                        .toList()))));
    }
}

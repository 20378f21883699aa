package io.cairn.server.http.v3;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.limit.ServerLimits;
import java.util.List;

/** {@code /v3/admin/core/limits}: what one client may take, and how much of it is taken. */
public final class LimitEndpoints {

    private final ServerLimits limits;
    private final ContainerErrors container;

    public LimitEndpoints(ServerLimits limits, ContainerErrors container) {
        this.limits = limits;
        this.container = container;
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(HttpRoute.get("/v3/admin/core/limits", V3.errors(container), call -> V3.data(json()))
                .does(OldOperation.of(
                        "Lists the limits, with how much of each is used and how often it has held", "", "[Limit]")));
    }

    private byte[] json() {
        return JsonOutput.array(limits.all(), (limit, out) -> out.text("name", limit.name())
                .text("setting", limit.setting())
                .number("used", limit.used())
                .number("max", limit.max())
                .number("exceeded", limit.timesExceeded()));
    }
}

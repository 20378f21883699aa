package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.core.Attention;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** How this server is, for somebody who looks at it: what needs attention, and how quickly changes arrive. */
public final class AttentionEndpoints {

    private final Attention attention;
    private final PushHistory pushes;
    private final EnvelopeErrors errors;

    public AttentionEndpoints(Attention attention, PushHistory pushes, ContainerErrors container) {
        this.attention = attention;
        this.pushes = pushes;
        this.errors = V3.errors(container);
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get("/v3/admin/core/attention", errors, this::attention)
                        .does(OldOperation.of(
                                "Lists what somebody should look at: a full disk, an old certificate, limits nearly"
                                        + " reached, listeners of a namespace that are behind",
                                "namespaceId",
                                "[Finding]")),
                HttpRoute.get("/v3/admin/core/push/latency", errors, request -> V3.data(pushes.json()))
                        .does(OldOperation.of(
                                "Tells how long changes took until clients acknowledged them, in periods of the last ten"
                                        + " minutes",
                                "",
                                "PushLatency")));
    }

    private CompletionStage<HttpResponse> attention(HttpRequest request) {
        return attention
                .json(ConfigLookup.namespace(request, "namespaceId"))
                .thenApply(json -> V3.ENVELOPE.success(json.length, out -> out.json("data", json)));
    }
}

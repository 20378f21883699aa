package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.Attention;
import io.cairn.server.http.core.PushLatency;
import io.cairn.server.http.core.PushLatencyReads;
import io.cairn.server.http.core.ReportedFinding;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The state of all nodes for operators: findings, and latencies of changes. */
public final class AttentionEndpoints {

    private static final Operation<HttpRequest> ATTENTION = Operation.of(NamingParameters.NAMESPACE_ID)
            .needs(Right.admin())
            .answers(Answer.listOf(ReportedFinding.class))
            .ofAllNodes()
            .says("Lists what needs attention: a full disk, an old certificate, limits nearly"
                    + " reached, listeners of a namespace that are behind; of all nodes");
    private static final Operation<HttpRequest> LATENCY = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(PushLatency.class)
            .ofAllNodes()
            .says("Shows the time from changes to their acknowledgement by clients, in periods of the last ten minutes;"
                    + " of all nodes together");

    private final Attention attention;
    private final PushLatencyReads pushes;
    private final Endpoints endpoints;

    public AttentionEndpoints(Attention attention, PushLatencyReads pushes, ContainerErrors container) {
        this.attention = attention;
        this.pushes = pushes;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get("/v3/admin/core/attention", ATTENTION, this::attention),
                endpoints.get("/v3/admin/core/push/latency", LATENCY, request -> pushes.read(V3.ENVELOPE::written)));
    }

    private CompletionStage<HttpResponse> attention(HttpRequest request) {
        return attention
                .findings(NamingParameters.namespace(request))
                .thenApply(found -> V3.ENVELOPE.written(found.rows(), found.silent()));
    }
}

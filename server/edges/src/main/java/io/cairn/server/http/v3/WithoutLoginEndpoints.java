package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.access.WithoutLoginReads;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.List;

/** The clients that a login for clients would refuse. */
public final class WithoutLoginEndpoints {

    private static final Operation<HttpRequest> LIST = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(Answer.listOf(WithoutLoginReads.NodeReport.class))
            .ofAllNodes()
            .says("Lists, for each node, the clients that are served only because clients need no login");

    private final WithoutLoginReads reads;
    private final Endpoints endpoints;

    public WithoutLoginEndpoints(WithoutLoginReads reads, ContainerErrors container) {
        this.reads = reads;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.get("/v3/admin/auth/without-login", LIST, request -> reads.all()
                .thenApply(found -> V3.ENVELOPE.written(Rows.of(found.rows()), found.silent()))));
    }
}

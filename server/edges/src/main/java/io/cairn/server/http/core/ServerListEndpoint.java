package io.cairn.server.http.core;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Operation.Wrapping;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * {@code /serverlist}, so that any node is an address server. Open as in Nacos: clients read it before they log in, and it has only
 * addresses that they must know.
 */
public final class ServerListEndpoint {

    private static final Operation<HttpRequest> SERVER_LIST = Operation.of(Form.NONE)
            .needs(Right.open())
            .answers("string")
            .as(Wrapping.TEXT)
            .says("Lists the HTTP addresses of the nodes in service, one on each line; 503 when none is");

    /** On 503 clients keep their list. */
    private static final HttpResponse NONE =
            HttpResponse.of(503, HttpResponse.TEXT, "No node is in service; keep the list of before and ask again");

    private ServerListEndpoint() {}

    public static HttpRoute of(ClusterNodes nodes, HttpErrors errors) {
        return new Endpoints(errors).get("/serverlist", SERVER_LIST, request -> answer(nodes.inService()));
    }

    private static CompletionStage<HttpResponse> answer(List<String> addresses) {
        return CompletableFuture.completedFuture(
                addresses.isEmpty() ? NONE : HttpResponse.ok(HttpResponse.TEXT, String.join("\n", addresses) + '\n'));
    }
}

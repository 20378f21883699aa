package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v3/openapi.json}: the reference of this server's API, made at the first request. */
public final class OpenApiEndpoint implements HttpEndpoint {

    private final OpenApiDocument document;
    private final List<HttpRoute> routes;
    private volatile @Nullable HttpResponse response;

    private OpenApiEndpoint(OpenApiDocument document, List<HttpRoute> routes) {
        this.document = document;
        this.routes = routes;
    }

    public static HttpRoute of(OpenApiDocument document, List<HttpRoute> routes, HttpErrors errors) {
        return new Endpoints(errors)
                .get(
                        "/v3/openapi.json",
                        Operation.of(Form.NONE)
                                .needs(Right.open())
                                .answers("object")
                                .as(Operation.Wrapping.BARE)
                                .says("Describes this API"),
                        new OpenApiEndpoint(document, routes));
    }

    @Override
    public CompletionStage<HttpResponse> handle(HttpRequest request) {
        HttpResponse known = response;
        if (known == null) {
            known = HttpResponse.ok(HttpResponse.JSON, document.of(routes));
            response = known;
        }
        return CompletableFuture.completedFuture(known);
    }
}

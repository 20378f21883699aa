package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletionStage;

/** Answers the requests of one route. Called on an event loop, so it must not block. */
@FunctionalInterface
public interface HttpEndpoint {

    /** The answer, now or later; the route's {@link HttpErrors} turn an exception into one. */
    CompletionStage<HttpResponse> handle(HttpRequest request);
}

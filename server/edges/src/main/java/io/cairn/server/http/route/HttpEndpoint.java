package io.cairn.server.http.route;

import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import java.util.concurrent.CompletionStage;

/** Answers the requests of one route. Called on an event loop, so it must not block. */
@FunctionalInterface
public interface HttpEndpoint {

    /** The answer, now or later; an exception is turned into one by the route's {@link HttpErrors}. */
    CompletionStage<HttpAnswer> handle(HttpCall call);
}

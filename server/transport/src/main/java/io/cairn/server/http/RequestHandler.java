package io.cairn.server.http;

import java.util.concurrent.CompletionStage;

/** Answers the requests that the server has read. Called on event loops, so it must not block. */
public interface RequestHandler {

    /** Answers a request; the stage never fails. */
    CompletionStage<HttpResponse> route(HttpRequest request);

    /**
     * Whether the request's body is taken as it comes, however large it is.
     *
     * @param target path and query, perhaps in the form that is meant for proxies
     */
    boolean takesUpload(String method, String target);

    /** The answer to a request that cannot be read. */
    HttpResponse unreadable(HttpRequest request, int status, String message);
}

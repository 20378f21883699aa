package io.cairn.server.http;

import java.util.concurrent.CompletionStage;

/** Handles requests. Called on event loops, so it must not block. */
public interface RequestHandler {

    /** The stage never fails. */
    CompletionStage<HttpResponse> route(HttpRequest request);

    /**
     * Whether the handler accepts the body as an upload of any length.
     *
     * @param target path and query, optionally in absolute form
     */
    boolean takesUpload(String method, String target);

    /** The response to an unreadable request. */
    HttpResponse unreadable(HttpRequest request, int status, String message);
}

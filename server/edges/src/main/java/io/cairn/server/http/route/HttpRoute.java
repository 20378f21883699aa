package io.cairn.server.http.route;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One method of one path. Immutable.
 *
 * @param method in capitals
 * @param path below the context path, starting with a slash; one that ends in {@code /**} stands for all below it
 * @param handling the operation and the action that does it
 * @param isLongPoll whether an answer may take long by design, and is left out of the latencies
 * @param atRoot whether the path is served beside the context path instead of below it
 */
public record HttpRoute(
        String method, String path, HttpErrors errors, Handling<?> handling, boolean isLongPoll, boolean atRoot) {

    /** The parameters, the answer and the right that a request needs. */
    public Operation<?> operation() {
        return handling.operation();
    }

    /** Answers a request without a check of its right. */
    CompletionStage<HttpResponse> handle(HttpRequest request) {
        return handling.handle(request);
    }

    /** The same route as one whose answers may take long. */
    public HttpRoute longPoll() {
        return new HttpRoute(method, path, errors, handling, true, atRoot);
    }

    /** The same route, served beside the context path. */
    public HttpRoute besideContextPath() {
        return new HttpRoute(method, path, errors, handling, isLongPoll, true);
    }

    /**
     * The same route, which answers some requests before they are read.
     *
     * @param refusal null for a request that the endpoint is to answer
     */
    public HttpRoute behind(Function<HttpRequest, @Nullable CompletionStage<HttpResponse>> refusal) {
        return new HttpRoute(method, path, errors, handling.behind(refusal), isLongPoll, atRoot);
    }

    /** The same route, whose requests wait for the revision that they ask for, where the operation takes that header. */
    public HttpRoute afterRevision(RevisionGate gate) {
        return operation().parameters().stream()
                        .anyMatch(parameter -> parameter.name().equals(RevisionHeaders.MIN_REVISION))
                ? new HttpRoute(method, path, errors, handling.afterRevision(gate), isLongPoll, atRoot)
                : this;
    }

    /** {@code METHOD /path}. */
    public String name() {
        return method + ' ' + path;
    }
}

package io.cairn.server.http.route;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An operation and the action that does it. A request is read once, for the check of its right and for the action. Immutable.
 *
 * @param before refuses requests before they are read, where the result is not null; null where nothing does
 * @param gate holds requests up that ask for a revision; null where the operation does not take that header
 */
record Handling<T>(
        Operation<T> operation,
        Endpoints.Action<T> action,
        @Nullable Function<HttpRequest, @Nullable CompletionStage<HttpResponse>> before,
        @Nullable RevisionGate gate) {

    Handling<T> behind(Function<HttpRequest, @Nullable CompletionStage<HttpResponse>> refusal) {
        return new Handling<>(operation, action, refusal, gate);
    }

    Handling<T> afterRevision(RevisionGate other) {
        return new Handling<>(operation, action, before, other);
    }

    /** Reads the request and does what it asks for. */
    CompletionStage<HttpResponse> handle(HttpRequest request) {
        CompletionStage<HttpResponse> refusal = refusal(request);
        return refusal != null ? refusal : act(operation.form().read(request), request);
    }

    /** Does what the request asks for, which was read before. */
    CompletionStage<HttpResponse> handle(T read, HttpRequest request) {
        CompletionStage<HttpResponse> refusal = refusal(request);
        return refusal != null ? refusal : act(read, request);
    }

    private CompletionStage<HttpResponse> act(T read, HttpRequest request) {
        String revision = gate == null ? null : request.header(RevisionHeaders.MIN_REVISION);
        return gate == null || revision == null
                ? action.handle(read, request)
                : gate.awaitText(revision).thenComposeAsync(shown -> action.handle(read, request), request.loop());
    }

    @Nullable
    CompletionStage<HttpResponse> refusal(HttpRequest request) {
        return before == null ? null : before.apply(request);
    }
}

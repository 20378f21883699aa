package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An operation and the action that does it. A request is read once, for the check of its right and for the action. Immutable.
 *
 * @param before refuses requests before they are read, where the result is not null; null where nothing does
 */
record Handling<T>(
        Operation<T> operation,
        Endpoints.Action<T> action,
        @Nullable Function<HttpRequest, @Nullable CompletionStage<HttpResponse>> before) {

    Handling<T> behind(Function<HttpRequest, @Nullable CompletionStage<HttpResponse>> refusal) {
        return new Handling<>(operation, action, refusal);
    }

    /** Reads the request and does what it asks for. */
    CompletionStage<HttpResponse> handle(HttpRequest request) {
        CompletionStage<HttpResponse> refusal = refusal(request);
        return refusal != null ? refusal : action.handle(operation.form().read(request), request);
    }

    /** Does what the request asks for, which was read before. */
    CompletionStage<HttpResponse> handle(T read, HttpRequest request) {
        CompletionStage<HttpResponse> refusal = refusal(request);
        return refusal != null ? refusal : action.handle(read, request);
    }

    @Nullable
    CompletionStage<HttpResponse> refusal(HttpRequest request) {
        return before == null ? null : before.apply(request);
    }
}

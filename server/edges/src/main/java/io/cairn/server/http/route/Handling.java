package io.cairn.server.http.route;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.change.CatchUp;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An operation and its action. A request is read once, for the right and the action.
 *
 * @param before refuses requests before they are read by a result; may be null
 * @param gate delays reads until a revision is shown, or this server is in step; null where the operation lacks the header
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

    CompletionStage<HttpResponse> handle(HttpRequest request) {
        CompletionStage<HttpResponse> refusal = refusal(request);
        return refusal != null ? refusal : act(operation.form().read(request), request);
    }

    CompletionStage<HttpResponse> handle(T read, HttpRequest request) {
        CompletionStage<HttpResponse> refusal = refusal(request);
        return refusal != null ? refusal : act(read, request);
    }

    private CompletionStage<HttpResponse> act(T read, HttpRequest request) {
        if (gate == null) {
            return action.handle(read, request);
        }
        String revision = request.header(RevisionHeaders.MIN_REVISION);
        if (revision != null) {
            return gate.awaitText(revision).thenComposeAsync(shown -> action.handle(read, request), request.loop());
        }
        CatchUp catchUp = gate.catchUp();
        if (catchUp.isInStep()) {
            return action.handle(read, request);
        }
        CompletableFuture<Long> looked = catchUp.beforeRead().toCompletableFuture();
        return looked.isDone()
                ? answer(read, request, looked.join())
                : looked.thenComposeAsync(seconds -> answer(read, request, seconds), request.loop());
    }

    private CompletionStage<HttpResponse> answer(T read, HttpRequest request, long staleSeconds) {
        request.mayBeStale(staleSeconds);
        return action.handle(read, request);
    }

    @Nullable
    CompletionStage<HttpResponse> refusal(HttpRequest request) {
        return before == null ? null : before.apply(request);
    }
}

package io.cairn.server.http.naming;

import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.JsonBody;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * How a version of the API words its successes. Immutable and thread-safe.
 *
 * @param done the response to a change that has no data to show
 * @param wrap the response with data that is JSON already
 */
public record ResponseWording(
        CompletionStage<HttpResponse> done, Function<byte[], CompletionStage<HttpResponse>> wrap) {

    /** Success, once the change is done. */
    public CompletionStage<HttpResponse> ok(CompletionStage<Void> change) {
        return change instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? done
                : change.thenCompose(nothing -> done);
    }

    /** Success, with data that is JSON already. */
    public CompletionStage<HttpResponse> data(byte[] json) {
        return wrap.apply(json);
    }

    /** Success, with a record, or a list or map of records. */
    public CompletionStage<HttpResponse> written(Object data) {
        return wrap.apply(JsonBody.of(data));
    }
}

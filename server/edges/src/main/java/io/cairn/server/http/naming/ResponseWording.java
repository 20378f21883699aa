package io.cairn.server.http.naming;

import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.envelope.SilentNodes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * How a version words successes.
 *
 * @param done the response to a change without data
 * @param kept the response with kept and shared JSON
 * @param wrap the response with data of one request
 */
public record ResponseWording(CompletionStage<HttpResponse> done, Function<byte[], HttpResponse> kept, Wrap wrap) {

    @FunctionalInterface
    public interface Wrap {

        /** @param silent the nodes whose part is missing */
        HttpResponse of(JsonText json, SilentNodes silent);
    }

    public CompletionStage<HttpResponse> ok(CompletionStage<Void> change) {
        return change instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? done
                : change.thenCompose(nothing -> done);
    }

    /** Success with JSON bytes. */
    public CompletionStage<HttpResponse> data(byte[] json) {
        return CompletableFuture.completedFuture(response(json));
    }

    HttpResponse response(byte[] json) {
        return kept.apply(json);
    }

    /** Success with a record, list or map of records, or {@link Rows}. */
    public CompletionStage<HttpResponse> written(Object data) {
        return CompletableFuture.completedFuture(written(data, SilentNodes.NONE));
    }

    /** As {@link #written(Object)}, for data of all nodes. */
    public HttpResponse written(Object data, SilentNodes silent) {
        return wrap.of(JsonText.of(data), silent);
    }
}

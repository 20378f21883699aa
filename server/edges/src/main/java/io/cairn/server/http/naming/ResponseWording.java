package io.cairn.server.http.naming;

import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.SilentNodes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * How a version of the API words its successes. Immutable and thread-safe.
 *
 * @param done the response to a change that has no data to show
 * @param wrap the response with data that is JSON already
 */
public record ResponseWording(CompletionStage<HttpResponse> done, Wrap wrap) {

    /** Makes a response of data that is JSON. */
    @FunctionalInterface
    public interface Wrap {

        /** @param silent the nodes whose part the data lacks */
        HttpResponse of(byte[] json, SilentNodes silent);
    }

    /** Success, once the change is done. */
    public CompletionStage<HttpResponse> ok(CompletionStage<Void> change) {
        return change instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? done
                : change.thenCompose(nothing -> done);
    }

    /** Success, with data that is JSON already. */
    public CompletionStage<HttpResponse> data(byte[] json) {
        return CompletableFuture.completedFuture(response(json));
    }

    HttpResponse response(byte[] json) {
        return wrap.of(json, SilentNodes.NONE);
    }

    /** Success, with a record, or a list or map of records. */
    public CompletionStage<HttpResponse> written(Object data) {
        return data(JsonBody.of(data));
    }

    /** As {@link #written(Object)}, for data of all nodes that have answered. */
    public HttpResponse written(Object data, SilentNodes silent) {
        return wrap.of(JsonBody.of(data), silent);
    }
}

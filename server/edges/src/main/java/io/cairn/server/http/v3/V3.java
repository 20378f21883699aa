package io.cairn.server.http.v3;

import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

final class V3 {

    static final Envelope ENVELOPE = new Envelope(V3::secured);
    static final CompletionStage<HttpResponse> OK = CompletableFuture.completedFuture(ENVELOPE.ok());

    static final CompletionStage<HttpResponse> TRUE =
            CompletableFuture.completedFuture(ENVELOPE.success(0, out -> out.flag("data", true)));
    static final CompletionStage<HttpResponse> NULL =
            CompletableFuture.completedFuture(ENVELOPE.success(0, out -> out.json("data", "null")));

    private V3() {}

    /** Headers that keep browsers from guessing types, framing and caching. */
    private static HttpResponse.Builder secured(HttpResponse.Builder answer) {
        return answer.header("X-Content-Type-Options", "nosniff")
                .header("X-XSS-Protection", "0")
                .header("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate")
                .header("Pragma", "no-cache")
                .header("Expires", "0")
                .header("X-Frame-Options", "DENY");
    }

    static EnvelopeErrors errors(ContainerErrors container) {
        return new EnvelopeErrors(ENVELOPE, container::wrongMethod);
    }

    static CompletionStage<HttpResponse> ok(CompletionStage<Void> change) {
        return change instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? OK
                : change.thenCompose(done -> OK);
    }

    /** Success with JSON bytes. */
    static CompletionStage<HttpResponse> data(byte[] json) {
        return CompletableFuture.completedFuture(response(json));
    }

    static HttpResponse response(byte[] json) {
        return ENVELOPE.json(json);
    }
}

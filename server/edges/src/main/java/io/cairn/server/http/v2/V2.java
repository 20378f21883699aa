package io.cairn.server.http.v2;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.EnvelopeErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

final class V2 {

    static final Envelope ENVELOPE = new Envelope(answer -> answer);
    static final EnvelopeErrors ERRORS = new EnvelopeErrors(ENVELOPE, V2::wrongMethod);
    static final EnvelopeErrors SINGLE_PARAMETERS = ERRORS.forSingleParameters();

    static final EnvelopeErrors CONFIG_ERRORS = ERRORS.forPublishing();

    static final CompletionStage<HttpResponse> OK = CompletableFuture.completedFuture(ENVELOPE.ok());

    static final CompletionStage<HttpResponse> TRUE =
            CompletableFuture.completedFuture(ENVELOPE.success(0, out -> out.flag("data", true)));

    private V2() {}

    static CompletionStage<HttpResponse> ok(CompletionStage<Void> change) {
        return change instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? OK
                : change.thenCompose(done -> OK);
    }

    /** As in Nacos, with HTML escapes. */
    private static HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return HttpResponse.status(500)
                .header("Allow", allowed)
                .contentType(HttpResponse.JSON)
                .body(new JsonOutput(128)
                        .number("code", 500)
                        .text("message", "caused: Request method &#39;" + request.method() + "&#39; not supported;")
                        .json("data", "null")
                        .toBytes());
    }
}

package io.cairn.server.http.v3;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.route.ContainerErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The common parts of all answers of version 3. */
final class V3 {

    static final Envelope ENVELOPE = new Envelope(V3::secured);
    static final CompletionStage<HttpResponse> OK = CompletableFuture.completedFuture(ENVELOPE.ok());

    static final CompletionStage<HttpResponse> TRUE =
            CompletableFuture.completedFuture(ENVELOPE.success(0, out -> out.flag("data", true)));
    static final CompletionStage<HttpResponse> NULL =
            CompletableFuture.completedFuture(ENVELOPE.success(0, out -> out.json("data", "null")));

    /** The size of a page when none is asked for. */
    static final int PAGE_SIZE = 100;

    private V3() {}

    /** The headers by which version 3 keeps browsers from guessing, framing and caching. */
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

    /** Success, once that is done. */
    static CompletionStage<HttpResponse> ok(CompletionStage<Void> change) {
        return change instanceof CompletableFuture<Void> future && future.isDone() && !future.isCompletedExceptionally()
                ? OK
                : change.thenCompose(done -> OK);
    }

    /** Success, with data that is JSON already. */
    static CompletionStage<HttpResponse> data(byte[] json) {
        return CompletableFuture.completedFuture(response(json));
    }

    static HttpResponse response(byte[] json) {
        return ENVELOPE.success(json.length, out -> out.json("data", json));
    }

    /**
     * Success, with a part of a longer list.
     *
     * @param items the entries on the page, as a JSON array
     */
    static CompletionStage<HttpResponse> page(Page page, int total, byte[] items) {
        return data(new JsonOutput(items.length + 96)
                .number("totalCount", total)
                .number("pageNumber", page.number())
                .number("pagesAvailable", page.pages(total))
                .json("pageItems", items)
                .toBytes());
    }
}

package io.cairn.server.http.v1;

import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.ResponseWording;
import java.util.concurrent.CompletableFuture;

/** The successes of the registry in version 1: {@code ok} as text, or JSON without an envelope. */
final class V1Naming {

    static final ResponseWording WORDING = new ResponseWording(
            CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "ok")),
            (json, silent) -> silent.named(
                    HttpResponse.status(200).contentType(HttpResponse.JSON).body(silent.addedTo(json))));

    private V1Naming() {}
}

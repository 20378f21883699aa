package io.cairn.server.http.v1;

import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.ResponseWording;
import java.util.concurrent.CompletableFuture;

/** The successes of the registry in version 1: {@code ok} as text, or bare JSON. */
final class V1Naming {

    static final ResponseWording WORDING = new ResponseWording(
            CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "ok")),
            json -> start().body(json),
            (json, silent) -> silent.named(start().body(silent.addedTo(json))));

    private V1Naming() {}

    private static HttpResponse.Builder start() {
        return HttpResponse.status(200).contentType(HttpResponse.JSON);
    }
}

package io.cairn.server.http.envelope;

import io.cairn.server.http.HttpResponse;

/** Texts as clients get them. */
final class Texts {

    private Texts() {}

    static String of(JsonText json) {
        return HttpResponse.status(200)
                .contentType(HttpResponse.JSON)
                .body(json)
                .bodyText();
    }
}

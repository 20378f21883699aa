package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import java.nio.charset.StandardCharsets;

/** Words the failures of configuration and console endpoints in version 1: {@code caused: …;} as plain text. */
public final class V1ConfigErrors implements HttpErrors {

    @Override
    public HttpResponse failed(HttpRequest request, CairnException failure) {
        if (failure instanceof ParameterException refused && refused.problem() == ParameterException.Problem.REFUSED) {
            return HttpResponse.status(400)
                    .notCached()
                    .contentType(HttpResponse.JSON_UTF8)
                    .body((failure.text() + "\r\n").getBytes(StandardCharsets.UTF_8));
        }
        // A conflict is a 500 in version 1.
        int status = failure.code() == ErrorCode.CONFLICT ? 500 : ContainerErrors.status(failure.code());
        return caused(status, failure.text());
    }

    @Override
    public HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return caused(500, escaped("Request method '" + request.method() + "' not supported"));
    }

    static HttpResponse missing(String parameter) {
        return missing(parameter, "String");
    }

    static HttpResponse missing(String parameter, String type) {
        return caused(
                500,
                escaped("Required request parameter '" + parameter + "' for method parameter type " + type
                        + " is not present"));
    }

    static HttpResponse caused(int status, String message) {
        return HttpResponse.of(status, HttpResponse.TEXT, "caused: " + message + ";");
    }

    /** Nacos HTML-escapes these texts, and scripts compare them. */
    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}

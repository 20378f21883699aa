package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.ContainerErrors;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.HttpErrors;
import java.nio.charset.StandardCharsets;

/** How version 1 words the failures of configuration and console endpoints: {@code caused: …;} as plain text. */
public final class V1ConfigErrors implements HttpErrors {

    @Override
    public HttpAnswer failed(HttpCall call, CairnException failure) {
        if (failure instanceof ParameterException refused && refused.problem() == ParameterException.Problem.REFUSED) {
            return HttpAnswer.status(400)
                    .notCached()
                    .contentType(HttpAnswer.JSON_UTF8)
                    .body((failure.text() + "\r\n").getBytes(StandardCharsets.UTF_8));
        }
        // A conflict is a 500 in version 1.
        int status = failure.code() == ErrorCode.CONFLICT ? 500 : ContainerErrors.status(failure.code());
        return caused(status, failure.text());
    }

    @Override
    public HttpAnswer wrongMethod(HttpCall call, String allowed) {
        return caused(500, escaped("Request method '" + call.method() + "' not supported"));
    }

    static HttpAnswer missing(String parameter) {
        return caused(
                500,
                escaped("Required request parameter '" + parameter
                        + "' for method parameter type String is not present"));
    }

    private static HttpAnswer caused(int status, String message) {
        return HttpAnswer.of(status, HttpAnswer.TEXT, "caused: " + message + ";");
    }

    /** Nacos escapes these texts as for HTML, and scripts compare them. */
    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}

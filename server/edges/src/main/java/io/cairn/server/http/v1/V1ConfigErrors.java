package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How version 1 words the failures of configuration and console endpoints: {@code caused: …;} as plain text. */
public final class V1ConfigErrors implements HttpErrors {

    private final @Nullable String refusedType;

    /** For the paths of configurations. */
    public V1ConfigErrors() {
        this(HttpAnswer.JSON_UTF8);
    }

    private V1ConfigErrors(@Nullable String refusedType) {
        this.refusedType = refusedType;
    }

    /** For the paths of the console, where the check of names answers without a content type. */
    static V1ConfigErrors ofConsole() {
        return new V1ConfigErrors(null);
    }

    @Override
    public HttpAnswer failed(HttpCall call, CairnException failure) {
        if (failure instanceof ParameterException refused && refused.problem() == ParameterException.Problem.REFUSED) {
            return HttpAnswer.status(400)
                    .notCached()
                    .contentType(refusedType)
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
        return missing(parameter, "String");
    }

    private static HttpAnswer missing(String parameter, String type) {
        return caused(
                500,
                escaped("Required request parameter '" + parameter + "' for method parameter type " + type
                        + " is not present"));
    }

    /** The answer when one of these parameters is not there; null when all are. */
    static @Nullable HttpAnswer missingOf(HttpCall call, String... parameters) {
        return missingOf(call, "String", parameters);
    }

    /** As {@link #missingOf(HttpCall, String...)}, for numbers. */
    static @Nullable HttpAnswer missingNumberOf(HttpCall call, String... parameters) {
        return missingOf(call, "int", parameters);
    }

    /** As {@link #missingOf(HttpCall, String...)}, for the ids of rows. */
    static @Nullable HttpAnswer missingLongOf(HttpCall call, String parameter) {
        return missingOf(call, "Long", new String[] {parameter});
    }

    private static @Nullable HttpAnswer missingOf(HttpCall call, String type, String[] parameters) {
        for (String parameter : parameters) {
            if (call.parameter(parameter) == null) {
                return missing(parameter, type);
            }
        }
        return null;
    }

    static HttpAnswer caused(int status, String message) {
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

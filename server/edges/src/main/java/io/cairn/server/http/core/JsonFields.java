package io.cairn.server.http.core;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Values that one version sends in a JSON body and another as parameters; both are accepted. */
public final class JsonFields {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private JsonFields() {}

    /**
     * The value, or null.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the body is not a JSON object
     */
    public static @Nullable String text(HttpRequest request, Parameter<String> declared) {
        String name = declared.name();
        String parameter = declared.sent(request);
        String type = request.header("Content-Type");
        if (parameter != null
                || request.body().length == 0
                || type == null
                || !type.toLowerCase(Locale.ROOT).contains("json")) {
            return parameter;
        }
        try {
            JsonNode value = JSON.readTree(request.body()).path(name);
            if (value.isContainer()) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER,
                        name + ": " + (value.isArray() ? "an array" : "an object") + " (expected: text)");
            }
            return value.isMissingNode() || value.isNull() ? null : value.asString();
        } catch (JacksonException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "body: not JSON (expected: an object with '" + name + "')", e);
        }
    }

    /** @throws ParameterException when it is in neither place, or blank */
    public static String required(HttpRequest request, Parameter<String> declared) {
        String value = text(request, declared);
        if (value == null || value.isBlank()) {
            throw declared.missing();
        }
        return value;
    }
}

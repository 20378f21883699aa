package io.cairn.server.http.route;

import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** Reads single parameters of queries and forms. */
public final class Parameters {

    private Parameters() {}

    /** The parameter, or null when it is absent or blank. */
    public static @Nullable String text(HttpRequest request, String name) {
        String value = request.parameter(name);
        return value == null || value.isBlank() ? null : value;
    }

    /** @throws ParameterException when it is absent or blank */
    public static String required(HttpRequest request, String name) {
        String value = text(request, name);
        if (value == null) {
            throw ParameterException.missing(name);
        }
        return value;
    }

    /** @throws ParameterException when it is absent; it may be empty */
    public static String present(HttpRequest request, String name) {
        return present(name, request.parameter(name));
    }

    /** The value of a parameter that was read before, as {@link #present(HttpRequest, String)}. */
    public static String present(String name, @Nullable String value) {
        if (value == null) {
            throw ParameterException.missing(name);
        }
        return value;
    }

    /** @throws ParameterException when it is absent, blank or not a whole number */
    public static int requiredNumber(HttpRequest request, String name) {
        return number(name, required(request, name));
    }

    /** @throws ParameterException when the text is not a whole number */
    public static int number(String name, String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw ParameterException.notANumber(name, text, e);
        }
    }
}

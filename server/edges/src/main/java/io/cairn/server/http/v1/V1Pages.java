package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.PageRequest;
import io.cairn.server.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** Reads numbers in the words that version 1 has for bad ones. */
final class V1Pages {

    private V1Pages() {}

    /** The page that is asked for, whose parameters must be checked to be there. */
    static PageRequest required(HttpRequest request) {
        return page(number(request.parameter("pageNo"), 1, "int"), number(request.parameter("pageSize"), 1, "int"));
    }

    static PageRequest orFirst(HttpRequest request, int size) {
        return page(number(request.parameter("pageNo"), 1, "int"), number(request.parameter("pageSize"), size, "int"));
    }

    private static PageRequest page(int number, int size) {
        if (number < 1 || size < 1) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "pageNo and pageSize must be greater than zero");
        }
        return new PageRequest(number, size);
    }

    static int number(@Nullable String text, int ifAbsent, String type) {
        if (text == null || text.isBlank()) {
            return ifAbsent;
        }
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw bad(text, type, e);
        }
    }

    /** The id of a row. */
    static long id(String text) {
        try {
            return Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw bad(text, "java.lang.Long", e);
        }
    }

    private static CairnException bad(String text, String type, NumberFormatException cause) {
        String seen = "For input string: \"" + text + '"';
        return new CairnException(
                ErrorCode.INVALID_PARAMETER,
                "Failed to convert value of type 'java.lang.String' to required type '" + type
                        + "'; nested exception is java.lang.NumberFormatException: " + seen + ";caused: " + seen,
                cause);
    }
}

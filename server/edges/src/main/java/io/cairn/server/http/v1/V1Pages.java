package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.PageRequest;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameter;

/** Reads numbers, and words bad ones as version 1 does. */
final class V1Pages {

    static final Parameter<Integer> NUMBER =
            ofPage("pageNo", "The page, from 1 on").orElse(1);
    static final Parameter<Integer> SIZE =
            ofPage("pageSize", "The most entries on a page").orElse(1);

    private V1Pages() {}

    private static Parameter<Integer> ofPage(String name, String sentence) {
        return Parameter.of(name, "integer", sentence, (text, of) -> number(text, "int"));
    }

    /** The page that a request asks for. */
    static PageRequest of(HttpRequest request, Parameter<Integer> size) {
        return page(NUMBER.of(request), size.of(request));
    }

    private static PageRequest page(int number, int size) {
        if (number < 1 || size < 1) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "pageNo and pageSize must be greater than zero");
        }
        return new PageRequest(number, size);
    }

    static int number(String text, String type) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw bad(text, type, e);
        }
    }

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

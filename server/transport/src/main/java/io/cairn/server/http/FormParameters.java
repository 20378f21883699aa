package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * Reads {@code name=value} pairs of an HTML form. Only {@code &} separates pairs, so contents may include {@code ;} and
 * {@code #}. The first of several values of a name counts.
 */
final class FormParameters {

    private static final int MAX_PARAMETERS = 1024;

    private FormParameters() {}

    /**
     * Adds the pairs from this offset on, except for known names.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a malformed escape, a value that is invalid in the charset,
     *     or too many pairs
     */
    static void read(byte[] encoded, int from, Charset charset, Map<String, String> into) {
        int start = from;
        int count = 0;
        while (start < encoded.length) {
            int end = indexOf(encoded, '&', start, encoded.length);
            if (end > start) {
                if (++count > MAX_PARAMETERS) {
                    throw new CairnException(
                            ErrorCode.INVALID_PARAMETER, "more than " + MAX_PARAMETERS + " parameters in one request");
                }
                int equals = indexOf(encoded, '=', start, end);
                String name = decode(encoded, start, equals, charset, "name of a parameter");
                String value = equals < end ? decode(encoded, equals + 1, end, charset, name) : "";
                into.putIfAbsent(name, value);
            }
            start = end + 1;
        }
    }

    private static int indexOf(byte[] bytes, char wanted, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return end;
    }

    private static String decode(byte[] encoded, int from, int end, Charset charset, String field) {
        int first = from;
        while (first < end && encoded[first] != '%' && encoded[first] != '+') {
            first++;
        }
        if (first == end) {
            return RequestText.decode(encoded, from, end, charset, field);
        }
        byte[] decoded = Arrays.copyOfRange(encoded, from, end);
        int size = first - from;
        for (int i = first; i < end; i++) {
            byte c = encoded[i];
            if (c == '%') {
                if (i + 2 >= end) {
                    throw malformed(encoded, i, from, end, field);
                }
                int high = Character.digit(encoded[i + 1], 16);
                int low = Character.digit(encoded[i + 2], 16);
                if (high < 0 || low < 0) {
                    throw malformed(encoded, i, from, end, field);
                }
                decoded[size++] = (byte) (high << 4 | low);
                i += 2;
            } else {
                decoded[size++] = c == '+' ? (byte) ' ' : c;
            }
        }
        return RequestText.decode(decoded, 0, size, charset, field);
    }

    private static CairnException malformed(byte[] encoded, int at, int from, int end, String field) {
        return new CairnException(
                ErrorCode.INVALID_PARAMETER,
                field + ": byte " + (at - from) + " of the value is not properly percent-encoded: '"
                        + new String(encoded, at, Math.min(3, end - at), StandardCharsets.ISO_8859_1)
                        + "' (expected: % and two hexadecimal digits)");
    }
}

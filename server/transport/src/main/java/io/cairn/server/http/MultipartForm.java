package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@code multipart/form-data} body: texts and files. Immutable. */
final class MultipartForm {

    private static final int MAX_PARTS = 256;
    /** RFC 2046; limits the cost of the search. */
    private static final int MAX_BOUNDARY = 70;

    private static final byte[] HEADERS_END = {'\r', '\n', '\r', '\n'};

    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, byte[]> files = new HashMap<>();

    private MultipartForm() {}

    static boolean is(@Nullable String contentType) {
        return contentType != null && contentType.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
    }

    /** @throws CairnException {@code INVALID_PARAMETER} when the body is malformed, or a text is invalid in its charset */
    static MultipartForm read(String contentType, byte[] body) {
        String boundary = HeaderAttributes.value(contentType, "boundary");
        if (boundary == null || boundary.isEmpty()) {
            throw malformed("no boundary in its Content-Type");
        }
        if (boundary.length() > MAX_BOUNDARY) {
            throw malformed("a boundary of " + boundary.length() + " characters (expected: 1-" + MAX_BOUNDARY + ")");
        }
        byte[] delimiter = ("--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        MultipartForm form = new MultipartForm();
        int parts = 0;
        int at = indexOf(body, delimiter, 0);
        while (at >= 0) {
            int start = at + delimiter.length;
            if (start + 1 < body.length && body[start] == '-' && body[start + 1] == '-') {
                return form;
            }
            int end = indexOf(body, delimiter, start);
            int headersEnd = indexOf(body, HEADERS_END, start);
            if (end < 0 || headersEnd < 0 || headersEnd > end) {
                break;
            }
            if (++parts > MAX_PARTS) {
                throw malformed("more than " + MAX_PARTS + " parts");
            }
            int contentStart = headersEnd + HEADERS_END.length;
            // The line end belongs to the next delimiter.
            int contentEnd = Math.max(contentStart, end - 2);
            form.add(head(body, start, headersEnd, parts), body, contentStart, contentEnd, contentType);
            at = end;
        }
        throw malformed("it is cut off");
    }

    /** Decodes UTF-8, except for parts with a file name in another charset, which is not used. */
    private static String head(byte[] body, int from, int end, int part) {
        String bytes = new String(body, from, end - from, StandardCharsets.ISO_8859_1);
        String disposition = header(bytes, "content-disposition");
        String name = disposition == null ? null : HeaderAttributes.value(disposition, "name");
        boolean isOfFile = disposition != null
                && name != null
                && name.chars().allMatch(c -> c < 0x80)
                && HeaderAttributes.value(disposition, "filename") != null;
        return isOfFile ? bytes : RequestText.decode(body, from, end, StandardCharsets.UTF_8, "head of part " + part);
    }

    /** The charset of a text is the part's, otherwise the form's. */
    private void add(String head, byte[] body, int from, int end, String formType) {
        String disposition = header(head, "content-disposition");
        String name = disposition == null ? null : HeaderAttributes.value(disposition, "name");
        if (disposition == null || name == null) {
            return;
        }
        if (HeaderAttributes.value(disposition, "filename") != null) {
            files.putIfAbsent(name, Arrays.copyOfRange(body, from, end));
            return;
        }
        String type = header(head, "content-type");
        boolean isDeclared = type != null && HeaderAttributes.value(type, "charset") != null;
        Charset charset = RequestText.charsetOf(isDeclared ? type : formType);
        texts.putIfAbsent(name, RequestText.decode(body, from, end, charset, name));
    }

    private static @Nullable String header(String head, String name) {
        for (String line : head.split("\r\n")) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).trim().equalsIgnoreCase(name)) {
                return line.substring(colon + 1);
            }
        }
        return null;
    }

    private static int indexOf(byte[] bytes, byte[] wanted, int from) {
        int last = bytes.length - wanted.length;
        for (int i = from; i <= last; i++) {
            int matched = 0;
            while (matched < wanted.length && bytes[i + matched] == wanted[matched]) {
                matched++;
            }
            if (matched == wanted.length) {
                return i;
            }
        }
        return -1;
    }

    private static CairnException malformed(String why) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, "body: no multipart form, " + why);
    }

    Map<String, String> texts() {
        return texts;
    }

    byte @Nullable [] file(String name) {
        return files.get(name);
    }
}

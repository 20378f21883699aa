package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A body of the type {@code multipart/form-data}: parts with names, some of which are files. */
final class Multipart {

    private static final int MAX_PARTS = 64;
    private static final int MAX_HEADER_BYTES = 8 * 1024;
    private static final Pattern BOUNDARY =
            Pattern.compile(";\\s*boundary=(?:\"([^\"]+)\"|([^;\\s]+))", Pattern.CASE_INSENSITIVE);
    private static final Pattern NAME = Pattern.compile(";\\s*name=(?:\"([^\"]*)\"|([^;\\s]+))", Pattern.CASE_INSENSITIVE);
    private static final byte[] HEADER_END = {'\r', '\n', '\r', '\n'};
    private static final byte[] CLOSING = {'-', '-'};

    private final byte[] body;
    private final Map<String, int[]> parts = new HashMap<>();

    private Multipart(byte[] body) {
        this.body = body;
    }

    static boolean is(@Nullable String contentType) {
        return contentType != null && contentType.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
    }

    /** @throws CairnException {@code INVALID_PARAMETER} when it is malformed or has too many parts */
    static Multipart read(String contentType, byte[] body) {
        Matcher matcher = BOUNDARY.matcher(contentType);
        if (!matcher.find()) {
            throw malformed("no boundary in Content-Type");
        }
        String boundary = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
        byte[] delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        Multipart multipart = new Multipart(body);
        // The first one has no line before it.
        int at = startsWith(body, 0, delimiter, 2)
                ? delimiter.length - 2
                : after(indexOf(body, 0, body.length, delimiter), delimiter.length);
        while (!startsWith(body, at, CLOSING, 0)) {
            int headerEnd = indexOf(body, at, Math.min(body.length, at + MAX_HEADER_BYTES), HEADER_END);
            if (headerEnd < 0) {
                throw malformed("a part without an end of its headers");
            }
            int start = headerEnd + HEADER_END.length;
            int end = indexOf(body, start, body.length, delimiter);
            if (end < 0) {
                throw malformed("no closing boundary");
            }
            multipart.add(new String(body, at, headerEnd - at, StandardCharsets.UTF_8), start, end);
            at = end + delimiter.length;
        }
        return multipart;
    }

    private void add(String headers, int start, int end) {
        for (String header : headers.split("\r\n")) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-disposition:")) {
                Matcher name = NAME.matcher(header);
                if (name.find()) {
                    parts.putIfAbsent(name.group(1) != null ? name.group(1) : name.group(2), new int[] {start, end});
                }
            }
        }
        if (parts.size() > MAX_PARTS) {
            throw malformed("more than " + MAX_PARTS + " parts");
        }
    }

    /** The bytes of that part, or null when there is none. */
    byte @Nullable [] bytes(String name) {
        int[] range = parts.get(name);
        return range == null ? null : Arrays.copyOfRange(body, range[0], range[1]);
    }

    /** The part as text, or null when there is none. */
    @Nullable
    String text(String name) {
        int[] range = parts.get(name);
        return range == null ? null : new String(body, range[0], range[1] - range[0], StandardCharsets.UTF_8);
    }

    private static int after(int index, int length) {
        if (index < 0) {
            throw malformed("its boundary does not occur");
        }
        return index + length;
    }

    private static boolean startsWith(byte[] bytes, int at, byte[] wanted, int from) {
        int length = wanted.length - from;
        return at + length <= bytes.length && Arrays.equals(bytes, at, at + length, wanted, from, wanted.length);
    }

    private static int indexOf(byte[] bytes, int from, int end, byte[] wanted) {
        for (int i = from; i + wanted.length <= end; i++) {
            if (bytes[i] == wanted[0] && startsWith(bytes, i, wanted, 0)) {
                return i;
            }
        }
        return -1;
    }

    private static CairnException malformed(String why) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, "the multipart body cannot be read: " + why);
    }
}

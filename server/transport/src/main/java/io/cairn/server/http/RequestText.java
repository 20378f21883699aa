package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import org.jspecify.annotations.Nullable;

/** Decodes the bytes of parameters, and rejects bytes that are invalid in their charset. */
final class RequestText {

    private static final char REPLACEMENT = '\uFFFD';

    private RequestText() {}

    /**
     * The charset of a Content-Type; UTF-8 by default.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the JVM does not know the charset
     */
    static Charset charsetOf(@Nullable String contentType) {
        String name = contentType == null ? null : HeaderAttributes.value(contentType, "charset");
        if (name == null || name.isEmpty()) {
            return StandardCharsets.UTF_8;
        }
        try {
            return Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "Content-Type: charset '" + name + "' is unknown (expected: a charset such as UTF-8 or GBK)",
                    e);
        }
    }

    /**
     * @param field the name for the message
     * @throws CairnException {@code INVALID_PARAMETER} with the position of the first invalid byte
     */
    static String decode(byte[] bytes, int from, int end, Charset charset, String field) {
        String text = new String(bytes, from, end - from, charset);
        if (text.indexOf(REPLACEMENT) >= 0) {
            requireText(bytes, from, end, charset, field);
        }
        return text;
    }

    /** A valid text may contain the replacement character, so this decoder is strict. */
    private static void requireText(byte[] bytes, int from, int end, Charset charset, String field) {
        CharsetDecoder decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes, from, end - from).slice();
        CharBuffer out = CharBuffer.allocate(1024);
        CoderResult result;
        do {
            out.clear();
            result = decoder.decode(in, out, true);
        } while (result.isOverflow());
        if (result.isError()) {
            int at = in.position();
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    field + ": byte " + at + " of the value (0x"
                            + String.format("%02X", bytes[from + at])
                            + ") is not " + charset.name() + " (expected: " + charset.name()
                            + (charset.equals(StandardCharsets.UTF_8)
                                    ? ", or a form whose Content-Type declares its charset)"
                                    : ", as the Content-Type declares)"));
        }
    }
}

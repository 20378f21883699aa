package io.cairn.api.wire;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a plain JSON object, as SDKs write the most frequent responses: no nesting, no escapes, ASCII texts, whole numbers of at most nine digits. Other bodies, for which {@link #isWhole} is false, are for {@link JsonInput}. Not thread-safe.
 */
public final class FlatJson {

    private static final int END = -1;
    private static final int MAX_DIGITS = 9;

    private final byte[] bytes;
    private final int end;
    private int at;
    private boolean inside;
    private boolean over;
    private boolean whole;
    private int nameStart;
    private int nameEnd;
    private int valueStart;
    private int valueEnd;
    private Kind kind = Kind.NULL;

    private enum Kind {
        TEXT,
        NUMBER,
        FLAG,
        NULL
    }

    public FlatJson(Payload payload) {
        this.bytes = payload.encoded();
        this.at = payload.bodyOffset();
        this.end = at + payload.bodyLength();
    }

    /** Moves to the next field; false at the end, or when the body is not plain. */
    public boolean next() {
        if (over) {
            return false;
        }
        int mark = token();
        if (mark == (inside ? ',' : '{')) {
            int first = token();
            if (first == '"' && name() && token() == ':' && value()) {
                inside = true;
                return true;
            }
            whole = first == '}' && !inside && token() == END;
        } else {
            whole = mark == '}' && inside && token() == END;
        }
        over = true;
        return false;
    }

    /** Whether the whole body was plain; valid after {@link #next} has returned false. */
    public boolean isWhole() {
        return whole;
    }

    /** @param name in ASCII */
    public boolean isNamed(String name) {
        if (nameEnd - nameStart != name.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (bytes[nameStart + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The current field as text, converted like {@link JsonInput#text}. */
    public @Nullable String text() {
        return kind == Kind.NULL
                ? null
                : new String(bytes, valueStart, valueEnd - valueStart, StandardCharsets.ISO_8859_1);
    }

    /** The current field as a number; another type makes the body not plain. */
    public int number(int ifNull) {
        if (kind == Kind.NUMBER) {
            boolean negative = bytes[valueStart] == '-';
            int number = 0;
            for (int i = negative ? valueStart + 1 : valueStart; i < valueEnd; i++) {
                number = 10 * number + bytes[i] - '0';
            }
            return negative ? -number : number;
        }
        if (kind != Kind.NULL) {
            over = true;
        }
        return ifNull;
    }

    private int token() {
        while (at < end) {
            int next = bytes[at++] & 0xff;
            if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
                return next;
            }
        }
        return END;
    }

    private boolean name() {
        nameStart = at;
        nameEnd = endOfText();
        return nameEnd >= 0;
    }

    private boolean value() {
        int first = token();
        valueStart = at - 1;
        switch (first) {
            case '"' -> {
                kind = Kind.TEXT;
                valueStart = at;
                valueEnd = endOfText();
                return valueEnd >= 0;
            }
            case 't' -> {
                return isWord("true", Kind.FLAG);
            }
            case 'f' -> {
                return isWord("false", Kind.FLAG);
            }
            case 'n' -> {
                return isWord("null", Kind.NULL);
            }
            default -> {
                return isNumber(first);
            }
        }
    }

    /** Returns the position of the closing quote; negative when the text is not plain. */
    private int endOfText() {
        while (at < end) {
            byte next = bytes[at++];
            if (next == '"') {
                return at - 1;
            }
            if (next < ' ' || next == '\\') {
                return END;
            }
        }
        return END;
    }

    private boolean isWord(String word, Kind itsKind) {
        kind = itsKind;
        valueEnd = valueStart + word.length();
        at = valueEnd;
        if (valueEnd > end) {
            return false;
        }
        for (int i = 1; i < word.length(); i++) {
            if (bytes[valueStart + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** {@link #next} rejects a fraction, an exponent or a tenth digit, because it expects a comma. */
    private boolean isNumber(int first) {
        kind = Kind.NUMBER;
        int digits = first == '-' ? at : valueStart;
        at = digits;
        if (at < end && bytes[at] == '0') {
            at++;
        } else {
            while (at < end && at - digits < MAX_DIGITS && bytes[at] >= '0' && bytes[at] <= '9') {
                at++;
            }
        }
        valueEnd = at;
        return at > digits;
    }
}

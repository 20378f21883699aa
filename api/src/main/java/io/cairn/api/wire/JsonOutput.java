package io.cairn.api.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON object in UTF-8, in the order of the calls. Null fields are omitted, because some clients reject them. Field names must be plain ASCII. Not thread-safe.
 */
public final class JsonOutput {

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private byte[] out;
    private int size;
    private List<SharedPart.Place> parts = List.of();

    /** @param expectedBytes the initial buffer size */
    public JsonOutput(int expectedBytes) {
        out = new byte[Math.max(64, expectedBytes)];
        put('{');
    }

    /** Omits a null value. */
    public JsonOutput text(String name, @Nullable String value) {
        if (value != null) {
            name(name);
            quoted(value.getBytes(StandardCharsets.UTF_8));
        }
        return this;
    }

    /** Writes null for a missing value. */
    public JsonOutput textOrNull(String name, @Nullable String value) {
        return value == null ? json(name, "null") : text(name, value);
    }

    /** @param value in UTF-8 */
    public JsonOutput utf8(String name, byte[] value) {
        name(name);
        quoted(value);
        return this;
    }

    public JsonOutput number(String name, long value) {
        name(name);
        raw(Long.toString(value));
        return this;
    }

    public JsonOutput flag(String name, boolean value) {
        name(name);
        raw(value ? "true" : "false");
        return this;
    }

    /** @param value a JSON value */
    public JsonOutput json(String name, String value) {
        name(name);
        int start = size;
        reserve(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                // Most values are short ASCII constants.
                size = start;
                byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
                copy(utf8, 0, utf8.length);
                return this;
            }
            out[size++] = (byte) c;
        }
        return this;
    }

    /** @throws IllegalArgumentException for NaN and infinity, which JSON cannot represent */
    public JsonOutput decimal(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: a number)");
        }
        name(name);
        raw(Double.toString(value));
        return this;
    }

    /** @param value a JSON value in UTF-8 */
    public JsonOutput json(String name, byte[] value) {
        name(name);
        copy(value, 0, value.length);
        return this;
    }

    public <T> JsonOutput object(String name, T value, ObjectWriter<T> writer) {
        name(name);
        put('{');
        writer.write(value, this);
        put('}');
        return this;
    }

    /**
     * Writes an array.
     *
     * @param values JSON values in UTF-8
     * @param shared the parts shared with other messages, from the first value on
     */
    public JsonOutput array(String name, byte[][] values, List<SharedPart> shared) {
        name(name);
        put('[');
        int next = 0;
        if (!shared.isEmpty()) {
            parts = new ArrayList<>(shared.size());
        }
        for (SharedPart part : shared) {
            int from = size;
            next = copy(values, next, next + part.values());
            parts.add(new SharedPart.Place(from, size - from, part));
        }
        copy(values, next, values.length);
        put(']');
        return this;
    }

    private int copy(byte[][] values, int start, int end) {
        for (int i = start; i < end; i++) {
            if (i > 0) {
                put(',');
            }
            copy(values[i], 0, values[i].length);
        }
        return end;
    }

    /** The byte ranges shared with other messages. */
    List<SharedPart.Place> parts() {
        return parts;
    }

    public JsonOutput texts(String name, Map<String, String> values) {
        name(name);
        put('{');
        values.forEach((key, value) -> {
            if (out[size - 1] != '{') {
                put(',');
            }
            quoted(key.getBytes(StandardCharsets.UTF_8));
            put(':');
            quoted(value.getBytes(StandardCharsets.UTF_8));
        });
        put('}');
        return this;
    }

    public JsonOutput textList(String name, Iterable<String> values) {
        name(name);
        put('[');
        boolean first = true;
        for (String value : values) {
            if (!first) {
                put(',');
            }
            first = false;
            quoted(value.getBytes(StandardCharsets.UTF_8));
        }
        put(']');
        return this;
    }

    /** @param values by field name */
    public JsonOutput flags(String name, Map<String, Boolean> values) {
        name(name);
        put('{');
        values.forEach(this::flag);
        put('}');
        return this;
    }

    /** @param writer writes the fields of each object */
    public <T> JsonOutput objects(String name, Iterable<T> values, ObjectWriter<T> writer) {
        name(name);
        put('[');
        boolean first = true;
        for (T value : values) {
            if (!first) {
                put(',');
            }
            first = false;
            put('{');
            writer.write(value, this);
            put('}');
        }
        put(']');
        return this;
    }

    /** A JSON array without an enclosing object. */
    public static <T> byte[] array(Iterable<T> values, ObjectWriter<T> writer) {
        JsonOutput out = new JsonOutput(1024).objects("", values, writer);
        // Drops the enclosing object and field.
        return Arrays.copyOfRange(out.out, "{\"\":".length(), out.size);
    }

    @FunctionalInterface
    public interface ObjectWriter<T> {
        void write(T value, JsonOutput out);
    }

    /** Closes the object and returns it; the output must not be used afterwards. */
    public byte[] toBytes() {
        put('}');
        return Arrays.copyOf(out, size);
    }

    /** Closes the object for {@link #copyTo}; returns its length in bytes. */
    int end() {
        put('}');
        return size;
    }

    void copyTo(byte[] target, int at) {
        System.arraycopy(out, 0, target, at, size);
    }

    private void name(String name) {
        byte last = out[size - 1];
        if (last != '{' && last != '[') {
            put(',');
        }
        put('"');
        raw(name);
        put('"');
        put(':');
    }

    private void raw(String ascii) {
        reserve(ascii.length());
        for (int i = 0; i < ascii.length(); i++) {
            out[size++] = (byte) ascii.charAt(i);
        }
    }

    private void quoted(byte[] utf8) {
        put('"');
        int from = 0;
        for (int i = 0; i < utf8.length; i++) {
            byte c = utf8[i];
            // Bytes of multi-byte characters are negative and need no escape.
            if (c >= 0 && (c < ' ' || c == '"' || c == '\\')) {
                copy(utf8, from, i);
                escape(c);
                from = i + 1;
            }
        }
        copy(utf8, from, utf8.length);
        put('"');
    }

    private void escape(byte c) {
        reserve(6);
        out[size++] = '\\';
        switch (c) {
            case '"', '\\' -> out[size++] = c;
            case '\n' -> out[size++] = 'n';
            case '\r' -> out[size++] = 'r';
            case '\t' -> out[size++] = 't';
            case '\b' -> out[size++] = 'b';
            case '\f' -> out[size++] = 'f';
            default -> {
                out[size++] = 'u';
                out[size++] = '0';
                out[size++] = '0';
                out[size++] = HEX[c >> 4];
                out[size++] = HEX[c & 0xf];
            }
        }
    }

    private void copy(byte[] from, int start, int end) {
        reserve(end - start);
        System.arraycopy(from, start, out, size, end - start);
        size += end - start;
    }

    private void put(char ascii) {
        reserve(1);
        out[size++] = (byte) ascii;
    }

    private void reserve(int more) {
        if (out.length - size < more) {
            out = Arrays.copyOf(out, Math.max(size + more, out.length + (out.length >> 1)));
        }
    }
}

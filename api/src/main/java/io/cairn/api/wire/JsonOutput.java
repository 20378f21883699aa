package io.cairn.api.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON object in the order of the calls, straight to UTF-8. Absent (null) fields are left out, because some
 * clients refuse an explicit null. Names of fields are ASCII without quotes, backslashes and control characters, and are
 * not checked; texts may hold anything. Not thread-safe.
 */
public final class JsonOutput {

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private byte[] out;
    private int size;
    private List<SharedPart.Place> parts = List.of();

    /** @param expectedBytes a guess of the whole size; it grows as needed */
    public JsonOutput(int expectedBytes) {
        out = new byte[Math.max(64, expectedBytes)];
        put('{');
    }

    /** A text field; left out when null. */
    public JsonOutput text(String name, @Nullable String value) {
        if (value != null) {
            name(name);
            quoted(value.getBytes(StandardCharsets.UTF_8));
        }
        return this;
    }

    /** A text field that is there even without a value, as null. */
    public JsonOutput textOrNull(String name, @Nullable String value) {
        return value == null ? json(name, "null") : text(name, value);
    }

    /** A text field whose value is UTF-8 already. */
    public JsonOutput utf8(String name, byte[] value) {
        name(name);
        quoted(value);
        return this;
    }

    /** A number field. */
    public JsonOutput number(String name, long value) {
        name(name);
        raw(Long.toString(value));
        return this;
    }

    /** A boolean field. */
    public JsonOutput flag(String name, boolean value) {
        name(name);
        raw(value ? "true" : "false");
        return this;
    }

    /** A field whose value is JSON already. */
    public JsonOutput json(String name, String value) {
        name(name);
        int start = size;
        reserve(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                // Most are short constants; only others are encoded apart.
                size = start;
                byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
                copy(utf8, 0, utf8.length);
                return this;
            }
            out[size++] = (byte) c;
        }
        return this;
    }

    /**
     * A number field with a fraction, spelled as Java spells it.
     *
     * @throws IllegalArgumentException when it is infinite or no number, for which JSON has no spelling
     */
    public JsonOutput decimal(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: a number)");
        }
        name(name);
        raw(Double.toString(value));
        return this;
    }

    /** A field whose value is JSON already, in UTF-8. */
    public JsonOutput json(String name, byte[] value) {
        name(name);
        copy(value, 0, value.length);
        return this;
    }

    /** A field with an object in it, whose fields are written by one call of the writer. */
    public <T> JsonOutput object(String name, T value, ObjectWriter<T> writer) {
        name(name);
        put('{');
        writer.write(value, this);
        put('}');
        return this;
    }

    /**
     * An array of values that are JSON already, in UTF-8.
     *
     * @param shared parts of it that other messages have as well, from the first value on; empty where that does not matter
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

    /** Where it has bytes in common with others. */
    List<SharedPart.Place> parts() {
        return parts;
    }

    /** An object of texts. */
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

    /** An array of texts. */
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

    /** An object of booleans; its names are those of fields. */
    public JsonOutput flags(String name, Map<String, Boolean> values) {
        name(name);
        put('{');
        values.forEach(this::flag);
        put('}');
        return this;
    }

    /** An array of objects, each written by one call of the writer between its braces. */
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

    /** An array of objects that stands by itself, as {@link #objects} writes one. */
    public static <T> byte[] array(Iterable<T> values, ObjectWriter<T> writer) {
        JsonOutput out = new JsonOutput(1024).objects("", values, writer);
        // Without the object and the field around it.
        return Arrays.copyOfRange(out.out, "{\"\":".length(), out.size);
    }

    /** Writes the fields of one object. */
    @FunctionalInterface
    public interface ObjectWriter<T> {
        void write(T value, JsonOutput out);
    }

    /** Closes the object and returns it; nothing may be written after. */
    public byte[] toBytes() {
        put('}');
        return Arrays.copyOf(out, size);
    }

    /** Closes the object, to be {@linkplain #copyTo copied}; returns its length in bytes. */
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
            // Bytes from 0x80 on are negative and part of a multi-byte character: they stand for themselves.
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

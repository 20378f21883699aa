package io.cairn.server.cluster.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the format of {@link FieldWriter} from received bytes. It compares a length with the rest of the message before it
 * allocates, and reports each fault as a {@link MalformedMessageException} with the field.
 */
final class FieldReader {

    private final String name;
    private final byte[] bytes;
    private final int end;
    private int position;
    private int tag;
    private int valueStart;
    private int valueEnd;

    /** @param name of the message or structure, for the text of a failure */
    FieldReader(String name, byte[] bytes, int start, int end) {
        this.name = name;
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** Moves to the next field and skips an unread value; false at the end. */
    boolean next() {
        if (position == end) {
            return false;
        }
        tag = bytes[position++] & 0xFF;
        long length = varint(end, "length");
        if (length < 0 || length > end - position) {
            throw new MalformedMessageException(
                    name + ", field " + tag, "length " + length + " (expected: at most " + (end - position) + ")");
        }
        valueStart = position;
        valueEnd = position + (int) length;
        position = valueEnd;
        return true;
    }

    int tag() {
        return tag;
    }

    long number(String field) {
        int after = position;
        position = valueStart;
        long value = varint(valueEnd, field);
        if (position != valueEnd) {
            throw malformed(field, (valueEnd - valueStart) + " bytes (expected: one number)");
        }
        position = after;
        return value;
    }

    int number(String field, int least, int most) {
        long value = number(field);
        if (value < least || value > most) {
            throw malformed(field, value + " (expected: " + least + "-" + most + ")");
        }
        return (int) value;
    }

    long count(String field) {
        long value = number(field);
        if (value < 0) {
            throw malformed(field, value + " (expected: not negative)");
        }
        return value;
    }

    boolean flag(String field) {
        return number(field, 0, 1) == 1;
    }

    long fixed(String field) {
        if (valueEnd - valueStart != Long.BYTES) {
            throw malformed(field, (valueEnd - valueStart) + " bytes (expected: 8)");
        }
        long value = 0;
        for (int i = valueStart; i < valueEnd; i++) {
            value = value << 8 | bytes[i] & 0xFF;
        }
        return value;
    }

    String text() {
        return new String(bytes, valueStart, valueEnd - valueStart, StandardCharsets.UTF_8);
    }

    byte[] bytes() {
        return Arrays.copyOfRange(bytes, valueStart, valueEnd);
    }

    /** The fields of which the value consists. */
    FieldReader nested(String field) {
        return new FieldReader(field, bytes, valueStart, valueEnd);
    }

    /** Whether a character is neither white space nor a control character; the first one nearly always decides. */
    boolean isNotBlank() {
        for (int i = valueStart; i < valueEnd; i++) {
            if (bytes[i] > 0x20 && bytes[i] < 0x7F) {
                return true;
            }
        }
        return !text().isBlank();
    }

    MalformedMessageException malformed(String field, String found) {
        return new MalformedMessageException(name + '.' + field, found);
    }

    private long varint(int limit, String field) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (position >= limit) {
                throw malformed(field, "the message ends within a number");
            }
            byte next = bytes[position++];
            if (shift == 63 && next != 1 && next != 0) {
                break;
            }
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw malformed(field, "a number of more than 64 bits");
    }
}

package io.cairn.server.xds.resource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a protobuf message from end to start. An inner message's length is known when its tag is written, so there are neither
 * arrays for inner messages nor a second pass for sizes. So fields are written in reverse: the last field first, in a field its
 * value before its tag. Not thread-safe.
 */
final class ProtoWriter {

    private byte[] bytes;
    /** The index of the first written byte. */
    private int start;

    ProtoWriter(int expected) {
        this.bytes = new byte[expected];
        this.start = expected;
    }

    /** The number of written bytes; the mark for {@link #end}. */
    int length() {
        return bytes.length - start;
    }

    byte[] toBytes() {
        return Arrays.copyOfRange(bytes, start, bytes.length);
    }

    /** A number or enum, omitted when 0, as in proto3. */
    void number(int field, long value) {
        if (value != 0) {
            presentNumber(field, value);
        }
    }

    /** A number written even when 0, such as a member of a oneof. */
    void presentNumber(int field, long value) {
        varint(value);
        tag(field, Protobuf.VARINT);
    }

    /** Omitted when empty. */
    void text(int field, String value) {
        if (!value.isEmpty()) {
            presentText(field, value);
        }
    }

    /** Written even when empty, such as a member of a oneof or an element of a list. */
    void presentText(int field, String value) {
        int before = length();
        utf8(value);
        end(field, before);
    }

    /** A present message without fields. */
    void empty(int field) {
        varint(0);
        tag(field, Protobuf.DELIMITED);
    }

    /**
     * Ends a message after its fields.
     *
     * @param before the {@link #length()} before the first of them
     */
    void end(int field, int before) {
        varint(length() - before);
        tag(field, Protobuf.DELIMITED);
    }

    private void utf8(String value) {
        int chars = value.length();
        room(chars);
        for (int i = chars - 1; i >= 0; i--) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                // The char may be half of a pair, so the whole remainder is encoded at once.
                byte[] remainder = value.substring(0, i + 1).getBytes(StandardCharsets.UTF_8);
                room(remainder.length);
                start -= remainder.length;
                System.arraycopy(remainder, 0, bytes, start, remainder.length);
                return;
            }
            bytes[--start] = (byte) c;
        }
    }

    private void tag(int field, int wireType) {
        varint((long) field << 3 | wireType);
    }

    private void varint(long value) {
        int size = (Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(value)) + 6) / 7;
        room(size);
        start -= size;
        long left = value;
        for (int at = start; at < start + size - 1; at++) {
            bytes[at] = (byte) (left & 0x7F | 0x80);
            left >>>= 7;
        }
        bytes[start + size - 1] = (byte) left;
    }

    private void room(int more) {
        if (start < more) {
            int used = length();
            byte[] larger = new byte[Math.max(bytes.length * 2, used + more)];
            System.arraycopy(bytes, start, larger, larger.length - used, used);
            start = larger.length - used;
            bytes = larger;
        }
    }
}

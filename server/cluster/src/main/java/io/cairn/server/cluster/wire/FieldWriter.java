package io.cairn.server.cluster.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes fields: tag, length, value. Numbers and lengths are varints of seven bits a byte, lowest bits first. */
final class FieldWriter {

    private byte[] bytes;
    private int length;

    FieldWriter(int expected) {
        this.bytes = new byte[expected];
    }

    int length() {
        return length;
    }

    void truncate(int before) {
        length = before;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    void raw(int value) {
        room(1);
        bytes[length++] = (byte) value;
    }

    /** A number; negative ones take ten bytes. */
    void number(int tag, long value) {
        raw(tag);
        raw(sizeOf(value));
        varint(value);
    }

    /** Omits a value that equals the reader's default. */
    void number(int tag, long value, long absent) {
        if (value != absent) {
            number(tag, value);
        }
    }

    /** Eight bytes, the highest first. */
    void fixed(int tag, long value) {
        raw(tag);
        raw(Long.BYTES);
        room(Long.BYTES);
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    void text(int tag, String value) {
        int start = open(tag);
        int chars = value.length();
        room(chars);
        for (int i = 0; i < chars; i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                byte[] rest = value.substring(i).getBytes(StandardCharsets.UTF_8);
                append(rest);
                break;
            }
            bytes[length++] = (byte) c;
        }
        close(start);
    }

    void text(int tag, String value, String absent) {
        if (!value.equals(absent)) {
            text(tag, value);
        }
    }

    void bytes(int tag, byte[] value) {
        raw(tag);
        varint(value.length);
        append(value);
    }

    /** Begins a field whose value further calls write; returns the argument of {@link #close}. */
    int open(int tag) {
        raw(tag);
        raw(0);
        return length;
    }

    /** Writes the field's length. Most are shorter than 128 bytes and need no move. */
    void close(int start) {
        int size = length - start;
        int more = sizeOf(size) - 1;
        if (more > 0) {
            room(more);
            System.arraycopy(bytes, start, bytes, start + more, size);
        }
        int end = length + more;
        length = start - 1;
        varint(size);
        length = end;
    }

    private void append(byte[] value) {
        room(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
    }

    private void varint(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[length++] = (byte) (rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
    }

    static int sizeOf(long value) {
        return (Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(value)) + 6) / 7;
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}

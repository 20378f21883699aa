package io.cairn.server.xds.resource;

/** The parts of the protobuf encoding for envelopes. */
public final class Protobuf {

    public static final int VARINT = 0;
    public static final int FIXED64 = 1;
    public static final int DELIMITED = 2;
    public static final int FIXED32 = 5;

    private Protobuf() {}

    /** Of a non-negative value. */
    static int varintSize(int value) {
        int size = 1;
        for (int rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        return size;
    }

    /** Of a field with a tag of one byte. */
    public static int delimitedSize(int length) {
        return 1 + varintSize(length) + length;
    }

    /** Returns the next index. */
    public static int writeVarint(byte[] out, int at, int value) {
        int next = at;
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out[next++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        out[next++] = (byte) rest;
        return next;
    }

    /** For a tag of one byte; returns the next index. */
    public static int writeDelimited(byte[] out, int at, int tag, byte[] value) {
        out[at] = (byte) tag;
        int start = writeVarint(out, at + 1, value.length);
        System.arraycopy(value, 0, out, start, value.length);
        return start + value.length;
    }
}

package io.cairn.server.xds;

/** The parts of the protobuf encoding that the envelopes need. */
final class Protobuf {

    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int DELIMITED = 2;
    static final int FIXED32 = 5;

    private Protobuf() {}

    /** The bytes of a value that is not negative. */
    static int varintSize(int value) {
        int size = 1;
        for (int rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        return size;
    }

    /** The bytes of a field with a tag of one byte and content of that length. */
    static int delimitedSize(int length) {
        return 1 + varintSize(length) + length;
    }

    /** Returns the place after it. */
    static int writeVarint(byte[] out, int at, int value) {
        int next = at;
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out[next++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        out[next++] = (byte) rest;
        return next;
    }

    /** Writes a field whose tag has one byte; returns the place after it. */
    static int writeDelimited(byte[] out, int at, int tag, byte[] value) {
        out[at] = (byte) tag;
        int start = writeVarint(out, at + 1, value.length);
        System.arraycopy(value, 0, out, start, value.length);
        return start + value.length;
    }
}

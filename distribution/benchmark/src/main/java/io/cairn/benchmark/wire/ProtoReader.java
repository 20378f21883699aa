package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;

/** Reads protobuf fields one after the other, from a place in received bytes. */
final class ProtoReader {
    private static final int LENGTH_DELIMITED = 2;

    final ByteBuf bytes;
    int index;

    ProtoReader(ByteBuf bytes, int index) {
        this.bytes = bytes;
        this.index = index;
    }

    int varint() {
        int value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte b = bytes.getByte(index++);
            if (shift < 32) {
                value |= (b & 0x7f) << shift;
            }
            if (b >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("varint at " + index + ": longer than 10 bytes");
    }

    void skip(int tag) {
        switch (tag & 7) {
            case 0 -> varint();
            case 1 -> index += 8;
            case LENGTH_DELIMITED -> {
                int size = varint();
                index += size;
            }
            case 5 -> index += 4;
            default -> throw new IllegalArgumentException("wire type: " + (tag & 7) + " (expected: 0, 1, 2 or 5)");
        }
    }
}

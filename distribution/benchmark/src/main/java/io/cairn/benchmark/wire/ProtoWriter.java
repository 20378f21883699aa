package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/** Writes the fields of one protobuf message: bytes, texts, messages and numbers. */
public final class ProtoWriter {
    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public ProtoWriter field(int number, byte[] value) {
        varint(number << 3 | LENGTH_DELIMITED);
        varint(value.length);
        return raw(value);
    }

    public ProtoWriter field(int number, String value) {
        return field(number, value.getBytes(UTF_8));
    }

    public ProtoWriter field(int number, ProtoWriter message) {
        return field(number, message.bytes());
    }

    public ProtoWriter number(int number, int value) {
        varint(number << 3 | VARINT);
        varint(value);
        return this;
    }

    /** Fields that were written before. */
    public ProtoWriter raw(byte[] fields) {
        out.write(fields, 0, fields.length);
        return this;
    }

    private void varint(int value) {
        int rest = value;
        while (rest >>> 7 != 0) {
            out.write(rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    public byte[] bytes() {
        return out.toByteArray();
    }

    /** The message as gRPC sends it: after its prefix. */
    public byte[] framed() {
        int length = out.size();
        byte[] framed = new byte[Envelope.PREFIX_BYTES + length];
        framed[1] = (byte) (length >>> 24);
        framed[2] = (byte) (length >>> 16);
        framed[3] = (byte) (length >>> 8);
        framed[4] = (byte) length;
        System.arraycopy(out.toByteArray(), 0, framed, Envelope.PREFIX_BYTES, length);
        return framed;
    }
}

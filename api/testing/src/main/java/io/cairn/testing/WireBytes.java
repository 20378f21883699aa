package io.cairn.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Encoded messages that a test composes by hand. */
public final class WireBytes {

    private WireBytes() {}

    /** A length-delimited field of a protobuf message. */
    public static byte[] delimited(int field, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int number : new int[] {field << 3 | 2, value.length}) {
            int rest = number;
            while (rest > 0x7f) {
                out.write(rest & 0x7f | 0x80);
                rest >>>= 7;
            }
            out.write(rest);
        }
        out.writeBytes(value);
        return out.toByteArray();
    }

    /** The same with a text in UTF-8. */
    public static byte[] delimited(int field, String text) {
        return delimited(field, text.getBytes(StandardCharsets.UTF_8));
    }

    public static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}

package io.cairn.benchmark;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.Envelope;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;

/**
 * Makes contents that look like a properties file and are all different: sixteen hexadecimal digits, then lines from a
 * pool of random ones. Cheap enough to write a new one for every publish. Safe to share between threads.
 */
final class ConfigText {
    /** The length of the part that makes a content unique, so the least length. */
    static final int SERIAL_CHARS = 16;

    private static final int LINE_CHARS = 32; // the line feed included
    private static final int ESCAPED_LINE_CHARS = LINE_CHARS + 1;
    private static final int SPARE_LINES = 64;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    private final byte[] escapedPool;

    ConfigText(long seed, int largestChars) {
        Limits.within("content length", largestChars, SERIAL_CHARS, Limits.CONTENT_BYTES);
        var random = new SplittableRandom(seed);
        int lines = largestChars / LINE_CHARS + 1 + SPARE_LINES;
        var pool = new StringBuilder(lines * ESCAPED_LINE_CHARS);
        for (int line = 0; line < lines; line++) {
            for (int i = 0; i < LINE_CHARS - 1; i++) {
                pool.append(i == 10 ? '=' : LETTERS.charAt(random.nextInt(LETTERS.length())));
            }
            pool.append("\\n");
        }
        escapedPool = pool.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** The publish request of a content of that many characters, which are as many bytes. */
    byte[] publish(byte[] head, long serial, int chars) {
        int rest = chars - SERIAL_CHARS;
        int escapedChars = rest + rest / LINE_CHARS;
        byte[] tail = ConfigMessages.PUBLISH_TAIL;
        byte[] json = new byte[head.length + SERIAL_CHARS + escapedChars + tail.length];
        System.arraycopy(head, 0, json, 0, head.length);
        int at = head.length;
        for (int shift = 60; shift >= 0; shift -= 4) {
            json[at++] = (byte) Character.forDigit((int) (serial >>> shift) & 0xf, 16);
        }
        System.arraycopy(escapedPool, poolOffset(serial), json, at, escapedChars);
        System.arraycopy(tail, 0, json, at + escapedChars, tail.length);
        return Envelope.write(ConfigMessages.PUBLISH, json, json.length);
    }

    /** The content that {@link #publish} sends for this serial and length. */
    String text(long serial, int chars) {
        int rest = chars - SERIAL_CHARS;
        int escapedChars = rest + rest / LINE_CHARS;
        String escaped = new String(escapedPool, poolOffset(serial), escapedChars, StandardCharsets.US_ASCII);
        return HexFormat.of().toHexDigits(serial) + escaped.replace("\\n", "\n");
    }

    private static int poolOffset(long serial) {
        return (int) Math.floorMod(serial, (long) SPARE_LINES) * ESCAPED_LINE_CHARS;
    }

    static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

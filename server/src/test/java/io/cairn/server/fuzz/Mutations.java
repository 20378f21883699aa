package io.cairn.server.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Makes something wrong out of something right; the same seed makes the same. */
final class Mutations {

    private static final List<byte[]> SPECIAL = List.of(
            new byte[] {0},
            new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            new byte[] {(byte) 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            new byte[] {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 0x08},
            new byte[] {(byte) 0xc3, 0x28}, // not UTF-8
            new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, // half of a surrogate pair
            bytes("\r\n"),
            bytes("\""),
            bytes("\\u0000"),
            bytes("%"),
            bytes("%zz"),
            bytes("\u0002"),
            bytes("\u0001"),
            bytes("null"),
            bytes("-1"),
            bytes("99999999999999999999"),
            bytes("[[[["),
            bytes("{{"));

    private final Random random;

    Mutations(long seed) {
        random = new Random(seed);
    }

    Random random() {
        return random;
    }

    byte[] randomBytes(int maxLength) {
        byte[] bytes = new byte[1 + random.nextInt(maxLength)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** One to four changes of the bytes. */
    byte[] mutate(byte[] right) {
        byte[] bytes = right.clone();
        for (int changes = 1 + random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
            bytes = change(bytes);
        }
        return bytes;
    }

    private byte[] change(byte[] bytes) {
        int at = random.nextInt(bytes.length);
        int end = at + random.nextInt(Math.min(64, bytes.length - at + 1));
        return switch (random.nextInt(8)) {
            case 0, 1 -> {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                yield bytes;
            }
            case 2 -> {
                bytes[at] = (byte) random.nextInt(256);
                yield bytes;
            }
            case 3 -> Arrays.copyOf(bytes, at); // cut off
            case 4 -> join(bytes, at, new byte[0], end); // something left out
            case 5 -> join(bytes, at, Arrays.copyOfRange(bytes, at, end), at); // something said twice
            case 6 -> join(bytes, at, randomBytes(16), at);
            default -> join(bytes, at, SPECIAL.get(random.nextInt(SPECIAL.size())), at);
        };
    }

    private static byte[] join(byte[] bytes, int until, byte[] between, int from) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.write(bytes, 0, until);
        joined.writeBytes(between);
        joined.write(bytes, from, bytes.length - from);
        return joined.toByteArray();
    }

    <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

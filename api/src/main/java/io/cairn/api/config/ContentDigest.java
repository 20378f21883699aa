package io.cairn.api.config;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The MD5 of a content's UTF-8 bytes, which identifies a version for Nacos clients; no protection against forgery.
 *
 * @param high the first eight bytes, big endian
 * @param low the last eight bytes, big endian
 */
public record ContentDigest(long high, long low) {

    private static final int HEX_LENGTH = 32;
    private static final ThreadLocal<MessageDigest> MD5 = ThreadLocal.withInitial(ContentDigest::newMd5);

    public static ContentDigest of(byte[] utf8) {
        ByteBuffer digest = ByteBuffer.wrap(MD5.get().digest(utf8));
        return new ContentDigest(digest.getLong(), digest.getLong());
    }

    public static ContentDigest of(String content) {
        return of(content.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads 32 hexadecimal digits; empty for any other text. */
    public static Optional<ContentDigest> parse(@Nullable String hex) {
        if (hex == null || hex.length() != HEX_LENGTH || !isHex(hex)) {
            return Optional.empty();
        }
        return Optional.of(new ContentDigest(
                HexFormat.fromHexDigitsToLong(hex, 0, 16), HexFormat.fromHexDigitsToLong(hex, 16, HEX_LENGTH)));
    }

    /** Whether this is the text of this digest. Allocates nothing. */
    public boolean matches(@Nullable String hex) {
        return hex != null
                && hex.length() == HEX_LENGTH
                && isHex(hex)
                && HexFormat.fromHexDigitsToLong(hex, 0, 16) == high
                && HexFormat.fromHexDigitsToLong(hex, 16, HEX_LENGTH) == low;
    }

    private static boolean isHex(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!HexFormat.isHexDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** 32 lower-case hexadecimal digits. */
    @Override
    public String toString() {
        HexFormat format = HexFormat.of();
        return format.toHexDigits(high) + format.toHexDigits(low);
    }

    private static MessageDigest newMd5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java runtime has no MD5, which every Java platform must provide", e);
        }
    }
}

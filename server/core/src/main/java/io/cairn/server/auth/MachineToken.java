package io.cairn.server.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A machine's token: {@code cairn_<id>_<secret>}. The id selects the stored token and the secret proves it. Only a digest is
 * stored; it needs no slow hash because the secret has 256 random bits.
 *
 * @param id 16 hexadecimal digits
 */
public record MachineToken(String id, String secret) {

    /** Scanners for leaked secrets recognize it. */
    public static final String PREFIX = "cairn_";

    private static final int ID_LENGTH = 16;
    private static final int SECRET_LENGTH = 43;

    public static MachineToken create(SecureRandom random) {
        byte[] id = new byte[ID_LENGTH / 2];
        byte[] secret = new byte[32];
        random.nextBytes(id);
        random.nextBytes(secret);
        return new MachineToken(
                HexFormat.of().formatHex(id),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** Null for other texts than machine tokens. */
    public static @Nullable MachineToken read(String text) {
        int secret = PREFIX.length() + ID_LENGTH + 1;
        if (text.length() != secret + SECRET_LENGTH || !text.startsWith(PREFIX) || text.charAt(secret - 1) != '_') {
            return null;
        }
        return new MachineToken(text.substring(PREFIX.length(), secret - 1), text.substring(secret));
    }

    /** The stored digest of the secret. */
    public String digest() {
        return digest(secret);
    }

    /** In constant time. */
    public boolean matches(String digest) {
        return MessageDigest.isEqual(
                digest().getBytes(StandardCharsets.US_ASCII), digest.getBytes(StandardCharsets.US_ASCII));
    }

    static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public String text() {
        return PREFIX + id + '_' + secret;
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return PREFIX + id;
    }
}

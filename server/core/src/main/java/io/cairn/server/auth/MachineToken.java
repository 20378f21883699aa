package io.cairn.server.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The format of a token for a machine: {@code cairn_<id>_<secret>}. The id selects the stored token and the secret
 * proves it. Only a digest of the secret is stored; it needs no slow hash because the secret is 256 random bits.
 *
 * @param id 16 hexadecimal digits
 * @param secret the proof, never stored
 */
public record MachineToken(String id, String secret) {

    /** The prefix of all machine tokens, by which scanners for leaked secrets recognize them. */
    public static final String PREFIX = "cairn_";

    private static final int ID_LENGTH = 16;
    private static final int SECRET_LENGTH = 43;

    /** Creates a token with a random id and secret. */
    public static MachineToken create(SecureRandom random) {
        byte[] id = new byte[ID_LENGTH / 2];
        byte[] secret = new byte[32];
        random.nextBytes(id);
        random.nextBytes(secret);
        return new MachineToken(
                HexFormat.of().formatHex(id),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** Parses a token; null if the text is not a machine token. */
    public static @Nullable MachineToken read(String text) {
        int secret = PREFIX.length() + ID_LENGTH + 1;
        if (text.length() != secret + SECRET_LENGTH || !text.startsWith(PREFIX) || text.charAt(secret - 1) != '_') {
            return null;
        }
        return new MachineToken(text.substring(PREFIX.length(), secret - 1), text.substring(secret));
    }

    /** The digest of the secret, which is stored. */
    public String digest() {
        return digest(secret);
    }

    /** Whether that digest is this secret's. Takes the same time for a wrong digest as for a right one. */
    public boolean matches(String digest) {
        return MessageDigest.isEqual(
                digest().getBytes(StandardCharsets.US_ASCII), digest.getBytes(StandardCharsets.US_ASCII));
    }

    /** SHA-256 in hexadecimal digits. */
    static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The token as the machine sends it. */
    public String text() {
        return PREFIX + id + '_' + secret;
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return PREFIX + id;
    }
}

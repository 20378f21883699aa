package io.cairn.server.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The signing key, and its predecessor, accepted until its last token has expired.
 *
 * @param current at least {@link #MIN_BYTES} bytes
 * @param previousUntilMillis epoch milliseconds
 */
public record SigningKeys(byte[] current, byte @Nullable [] previous, long previousUntilMillis) {

    /** The result size of HMAC-SHA256. */
    public static final int MIN_BYTES = 32;

    private static final int NEW_KEY_BYTES = 48;
    private static final int FINGERPRINT_BYTES = 8;
    private static final String DERIVATION = "HmacSHA256";

    public SigningKeys {
        if (current.length < MIN_BYTES) {
            throw new IllegalArgumentException(
                    "signing key: " + current.length + " bytes (expected: at least " + MIN_BYTES + ")");
        }
        current = current.clone();
        previous = previous == null ? null : previous.clone();
    }

    public static SigningKeys of(byte[] current) {
        return new SigningKeys(current, null, 0);
    }

    public static SigningKeys create(SecureRandom random) {
        return of(randomKey(random));
    }

    /** With a new random key; the present one is accepted until then. */
    public SigningKeys rotated(SecureRandom random, long untilMillis) {
        return replacedBy(randomKey(random), untilMillis);
    }

    private static byte[] randomKey(SecureRandom random) {
        byte[] key = new byte[NEW_KEY_BYTES];
        random.nextBytes(key);
        return key;
    }

    /**
     * Parses {@link #text()}.
     *
     * @throws IllegalArgumentException for another text
     */
    static SigningKeys parse(String text) {
        List<String> lines = text.lines().map(String::strip).toList();
        Base64.Decoder base64 = Base64.getDecoder();
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("empty");
        }
        byte[] current = base64.decode(lines.get(0));
        return lines.size() < 3
                ? of(current)
                : new SigningKeys(current, base64.decode(lines.get(1)), Long.parseLong(lines.get(2)));
    }

    /** For a file or the database: Base64, a line each, and the end of the previous one. A secret. */
    String text() {
        Base64.Encoder base64 = Base64.getEncoder();
        return base64.encodeToString(current)
                + (previous == null ? "" : '\n' + base64.encodeToString(previous) + '\n' + previousUntilMillis);
    }

    /** Servers compare it; it does not reveal the key. */
    public String fingerprint() {
        return HexFormat.of().formatHex(derived(current, "fingerprint of the signing key"), 0, FINGERPRINT_BYTES);
    }

    /**
     * Keys of 32 bytes for another purpose, which do not reveal the keys that they are made of: the present one first, then the
     * former one, if it is accepted.
     */
    public List<byte[]> derived(String purpose, long nowMillis) {
        byte[] before = previous;
        return before == null || nowMillis >= previousUntilMillis
                ? List.of(derived(current, purpose))
                : List.of(derived(current, purpose), derived(before, purpose));
    }

    private static byte[] derived(byte[] key, String purpose) {
        try {
            Mac mac = Mac.getInstance(DERIVATION);
            mac.init(new SecretKeySpec(key, DERIVATION));
            return mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + DERIVATION, e);
        }
    }

    private boolean accepts(byte[] key, long nowMillis) {
        return Arrays.equals(current, key) || Arrays.equals(previous, key) && nowMillis < previousUntilMillis;
    }

    /**
     * Also accepts tokens of another server's key until they expire, unless two keys are accepted already. A server uses it when it
     * replaces its own keys by shared keys.
     *
     * @param untilMillis the last expiry of the other's present key
     */
    SigningKeys accepting(SigningKeys other, long nowMillis, long untilMillis) {
        boolean isFull = previous != null && nowMillis < previousUntilMillis;
        if (isFull || other.equals(this)) {
            return this;
        }
        if (!accepts(other.current, nowMillis)) {
            return new SigningKeys(current, other.current, untilMillis);
        }
        byte[] before = other.previous;
        return before != null && nowMillis < other.previousUntilMillis && !accepts(before, nowMillis)
                ? new SigningKeys(current, before, other.previousUntilMillis)
                : this;
    }

    /** Adds a new key; the present key is accepted until then. */
    public SigningKeys replacedBy(byte[] newest, long untilMillis) {
        return Arrays.equals(current, newest) ? this : new SigningKeys(newest, current, untilMillis);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SigningKeys keys
                && Arrays.equals(current, keys.current)
                && Arrays.equals(previous, keys.previous)
                && previousUntilMillis == keys.previousUntilMillis;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(current);
    }

    /** Without the keys. */
    @Override
    public String toString() {
        return "SigningKeys";
    }
}

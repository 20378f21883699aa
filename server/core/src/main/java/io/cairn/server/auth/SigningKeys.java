package io.cairn.server.auth;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The key that tokens are signed with, and the one before it, which is believed until the last token it has signed has
 * expired. Immutable.
 *
 * @param current at least {@link #MIN_BYTES} bytes
 * @param previousUntilMillis epoch milliseconds after which the previous key is not believed any more
 */
public record SigningKeys(byte[] current, byte @Nullable [] previous, long previousUntilMillis) {

    /** HMAC-SHA256 wants a key as long as its result. */
    public static final int MIN_BYTES = 32;

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

    /** These keys after a new one was put in; the present one is believed until then. */
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

    /** Says nothing of the keys. */
    @Override
    public String toString() {
        return "SigningKeys";
    }
}

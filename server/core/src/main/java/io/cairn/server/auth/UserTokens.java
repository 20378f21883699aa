package io.cairn.server.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.util.Base64URL;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that users get for their password: signed, with the user's name and an end, as Nacos makes them, so that
 * either believes the other's when they share the key. A claim of ours, a fingerprint of the stored password, makes them
 * end with the password they were given for. Thread-safe.
 *
 * <p>The algorithm follows from the length of the key and is never taken from the token.
 */
public final class UserTokens {

    private static final int MAX_LENGTH = 4096;
    /** The end of the year 9999: what is later is no date but a mistake. */
    private static final long LAST_SECOND = 253_402_300_799L;

    private static final String FINGERPRINT = "pwd";

    private final Clock clock;
    private final Duration timeToLive;
    private volatile Keys keys;

    /** @param timeToLive of the tokens that are given out, in whole seconds */
    public UserTokens(SigningKeys keys, Clock clock, Duration timeToLive) {
        this.clock = clock;
        this.timeToLive = timeToLive;
        this.keys = Keys.of(keys);
    }

    /** What a token says, once its signature and its end were looked at. */
    public sealed interface Reading permits Valid, Refused {}

    /**
     * A token that is believed.
     *
     * @param fingerprint of the password it was given for; null in a token that Nacos has made
     */
    public record Valid(
            String username, long expiresAtMillis, @Nullable String fingerprint) implements Reading {}

    /**
     * A token that is not.
     *
     * @param username whom a token names that was signed with our key and has ended; null for any other
     */
    public record Refused(Denial why, @Nullable String username) implements Reading {

        Refused(Denial why) {
            this(why, null);
        }
    }

    private record Key(JWSAlgorithm algorithm, MACSigner signer, MACVerifier verifier) {

        static Key of(byte[] secret) {
            JWSAlgorithm algorithm = secret.length >= 64
                    ? JWSAlgorithm.HS512
                    : secret.length >= 48 ? JWSAlgorithm.HS384 : JWSAlgorithm.HS256;
            try {
                return new Key(algorithm, new MACSigner(secret), new MACVerifier(secret));
            } catch (JOSEException e) {
                throw new IllegalArgumentException("signing key: " + e.getMessage(), e);
            }
        }

        boolean verifies(JWSObject token) throws JOSEException {
            return algorithm.equals(token.getHeader().getAlgorithm()) && token.verify(verifier);
        }
    }

    private record Keys(Key current, @Nullable Key previous, long previousUntilMillis) {

        static Keys of(SigningKeys keys) {
            byte[] previous = keys.previous();
            return new Keys(
                    Key.of(keys.current()), previous == null ? null : Key.of(previous), keys.previousUntilMillis());
        }
    }

    /** Signs with other keys from now on. */
    public void use(SigningKeys newKeys) {
        keys = Keys.of(newKeys);
    }

    public Duration timeToLive() {
        return timeToLive;
    }

    /** A new token. */
    public String issue(String username, String fingerprint) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("sub", username);
        claims.put("exp", clock.instant().getEpochSecond() + timeToLive.toSeconds());
        claims.put(FINGERPRINT, fingerprint);
        Key key = keys.current;
        JWSObject token = new JWSObject(new JWSHeader(key.algorithm), new Payload(claims));
        try {
            token.sign(key.signer);
        } catch (JOSEException e) {
            throw new IllegalStateException("a token cannot be signed", e);
        }
        return token.serialize();
    }

    /** Looks at a token; never throws. */
    public Reading read(String token) {
        // The parser would take away space around it.
        if (token.length() > MAX_LENGTH || token.length() != token.trim().length()) {
            return new Refused(Denial.BAD_TOKEN);
        }
        try {
            JWSObject parsed = JWSObject.parse(token);
            // A decoder passes over what it does not know; one token has one spelling.
            boolean canonical = Base64URL.encode(parsed.getSignature().decode()).equals(parsed.getSignature());
            long believedUntil = canonical ? believedUntil(parsed) : 0;
            return clock.millis() < believedUntil ? claims(parsed, believedUntil) : new Refused(Denial.BAD_SIGNATURE);
        } catch (ParseException | JOSEException | IllegalArgumentException | IllegalStateException e) {
            return new Refused(Denial.BAD_TOKEN);
        }
    }

    /** How long the key that has signed it is believed, in epoch milliseconds; 0 when none of ours has. */
    private long believedUntil(JWSObject token) throws JOSEException {
        Keys present = keys;
        if (present.current.verifies(token)) {
            return Long.MAX_VALUE;
        }
        Key previous = present.previous;
        return previous != null && previous.verifies(token) ? present.previousUntilMillis : 0;
    }

    private Reading claims(JWSObject token, long believedUntil) {
        Map<String, Object> claims = token.getPayload().toJSONObject();
        if (claims == null
                || !(claims.get("sub") instanceof String username)
                || username.isBlank()
                || !(claims.get("exp") instanceof Long end)
                || end <= 0
                || end > LAST_SECOND) {
            return new Refused(Denial.BAD_TOKEN);
        }
        Object fingerprint = claims.get(FINGERPRINT);
        if (fingerprint != null && !(fingerprint instanceof String)) {
            return new Refused(Denial.BAD_TOKEN);
        }
        // No token outlives its key, whatever it says itself.
        long endMillis = Math.min(end * 1000, believedUntil);
        return clock.millis() < endMillis
                ? new Valid(username, endMillis, (String) fingerprint)
                : new Refused(Denial.EXPIRED, username);
    }
}

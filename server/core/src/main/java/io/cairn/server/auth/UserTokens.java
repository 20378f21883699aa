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
 * Issues and verifies users' signed tokens. A token has user name and expiry in Nacos's format, so servers of both kinds accept
 * each other's tokens with a shared key. An additional claim, a fingerprint of the stored password, ends the token with the
 * password.
 *
 * <p>The algorithm follows from the key's length, never from the token.
 */
public final class UserTokens {

    private static final int MAX_LENGTH = 4096;
    /** The end of the year 9999; a later value is an error. */
    private static final long LAST_SECOND = 253_402_300_799L;

    private static final String FINGERPRINT = "pwd";
    /** Of a person whom an issuer has identified. Such a token has no {@code sub}, which would be a local user. */
    private static final String ISSUED = "issued";

    private final Clock clock;
    private final Duration timeToLive;
    private volatile Keys keys;

    /** @param timeToLive in whole seconds */
    public UserTokens(SigningKeys keys, Clock clock, Duration timeToLive) {
        this.clock = clock;
        this.timeToLive = timeToLive;
        this.keys = Keys.of(keys);
    }

    public sealed interface Reading permits Valid, ValidIssued, Refused {}

    /** @param fingerprint of the password at its issue; null in a token of Nacos */
    public record Valid(
            String username, long expiresAtMillis, @Nullable String fingerprint) implements Reading {}

    public record ValidIssued(IssuedLogin login, long expiresAtMillis) implements Reading {}

    /** @param username of an expired token signed here; else null */
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

    public void use(SigningKeys newKeys) {
        keys = Keys.of(newKeys);
    }

    public Duration timeToLive() {
        return timeToLive;
    }

    public String issue(String username, String fingerprint) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("sub", username);
        claims.put("exp", clock.instant().getEpochSecond() + timeToLive.toSeconds());
        claims.put(FINGERPRINT, fingerprint);
        return signed(claims);
    }

    /** @param untilMillis in epoch milliseconds; a part of a second does not count */
    String issue(IssuedLogin login, long untilMillis) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put(ISSUED, login.claims());
        claims.put("exp", Math.floorDiv(untilMillis, 1000));
        return signed(claims);
    }

    private String signed(Map<String, Object> claims) {
        Key key = keys.current;
        JWSObject token = new JWSObject(new JWSHeader(key.algorithm), new Payload(claims));
        try {
            token.sign(key.signer);
        } catch (JOSEException e) {
            throw new IllegalStateException("a token cannot be signed", e);
        }
        return token.serialize();
    }

    /** Never throws. */
    public Reading read(String token) {
        // The parser would strip surrounding white space.
        if (token.length() > MAX_LENGTH || token.length() != token.trim().length()) {
            return new Refused(Denial.BAD_TOKEN);
        }
        try {
            JWSObject parsed = JWSObject.parse(token);
            // A base64 decoder ignores superfluous bits. Only the canonical text is accepted.
            boolean canonical = Base64URL.encode(parsed.getSignature().decode()).equals(parsed.getSignature());
            long acceptedUntil = canonical ? acceptedUntil(parsed) : 0;
            return clock.millis() < acceptedUntil ? claims(parsed, acceptedUntil) : new Refused(Denial.BAD_SIGNATURE);
        } catch (ParseException | JOSEException | IllegalArgumentException | IllegalStateException e) {
            return new Refused(Denial.BAD_TOKEN);
        }
    }

    /** Until when the signing key is accepted, in epoch milliseconds; 0 for an unknown key. */
    private long acceptedUntil(JWSObject token) throws JOSEException {
        Keys present = keys;
        if (present.current.verifies(token)) {
            return Long.MAX_VALUE;
        }
        Key previous = present.previous;
        return previous != null && previous.verifies(token) ? present.previousUntilMillis : 0;
    }

    private Reading claims(JWSObject token, long acceptedUntil) {
        Map<String, Object> claims = token.getPayload().toJSONObject();
        if (claims == null || !(claims.get("exp") instanceof Long end) || end <= 0 || end > LAST_SECOND) {
            return new Refused(Denial.BAD_TOKEN);
        }
        // A token does not outlive its key.
        long endMillis = Math.min(end * 1000, acceptedUntil);
        IssuedLogin login = IssuedLogin.read(claims.get(ISSUED));
        if (login != null) {
            return clock.millis() < endMillis
                    ? new ValidIssued(login, endMillis)
                    : new Refused(Denial.EXPIRED, login.name());
        }
        if (!(claims.get("sub") instanceof String username) || username.isBlank()) {
            return new Refused(Denial.BAD_TOKEN);
        }
        Object fingerprint = claims.get(FINGERPRINT);
        if (fingerprint != null && !(fingerprint instanceof String)) {
            return new Refused(Denial.BAD_TOKEN);
        }
        return clock.millis() < endMillis
                ? new Valid(username, endMillis, (String) fingerprint)
                : new Refused(Denial.EXPIRED, username);
    }
}

package io.cairn.server.auth.issuer;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The public keys by which an issuer's tokens are verified. Immutable; safe for many threads. */
final class VerificationKeys {

    private static final Logger log = LoggerFactory.getLogger(VerificationKeys.class);

    static final VerificationKeys NONE = new VerificationKeys(List.of());

    private static final int MIN_RSA_BITS = 2048;
    /** More keys are an error of the issuer; each token without a key id may be tried with all of them. */
    private static final int MAX_KEYS = 50;

    private final List<Key> keys;

    private VerificationKeys(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    /** @param algorithm that the issuer restricts the key to, or null */
    private record Key(@Nullable String id, @Nullable String algorithm, String digest, JWSVerifier verifier) {

        boolean isFor(JWSHeader header) {
            JWSAlgorithm wanted = header.getAlgorithm();
            return (header.getKeyID() == null || header.getKeyID().equals(id))
                    && (algorithm == null || algorithm.equals(wanted.getName()))
                    && verifier.supportedJWSAlgorithms().contains(wanted);
        }
    }

    /**
     * Leaves out the keys that sign no tokens, and those of unknown kinds.
     *
     * @throws ParseException for another text than a set of keys
     */
    static VerificationKeys parse(String text) throws ParseException {
        List<Key> keys = new ArrayList<>();
        for (JWK key : JWKSet.parse(text).getKeys()) {
            JWSVerifier verifier = verifier(key);
            if (verifier != null && keys.size() < MAX_KEYS) {
                keys.add(new Key(
                        key.getKeyID(),
                        key.getAlgorithm() == null ? null : key.getAlgorithm().getName(),
                        digest(key),
                        verifier));
            }
        }
        return new VerificationKeys(keys);
    }

    private static String digest(JWK key) throws ParseException {
        try {
            return key.computeThumbprint().toString();
        } catch (JOSEException e) {
            throw new ParseException("key " + key.getKeyID() + ": " + e.getMessage(), 0);
        }
    }

    private static @Nullable JWSVerifier verifier(JWK key) throws ParseException {
        if (key.getKeyUse() != null && !key.getKeyUse().equals(KeyUse.SIGNATURE)) {
            return null;
        }
        try {
            if (key instanceof RSAKey rsa) {
                return rsa.size() < MIN_RSA_BITS ? null : new RSASSAVerifier(rsa);
            }
            return key instanceof ECKey ec ? new ECDSAVerifier(ec) : null;
        } catch (JOSEException e) {
            throw new ParseException("key " + key.getKeyID() + ": " + e.getMessage(), 0);
        }
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    boolean has(JWSHeader header) {
        return keys.stream().anyMatch(key -> key.isFor(header));
    }

    boolean verify(JWSObject token) {
        for (Key key : keys) {
            try {
                if (key.isFor(token.getHeader()) && token.verify(key.verifier)) {
                    return true;
                }
            } catch (JOSEException | IllegalStateException e) {
                // Another key of the same id may fit.
                log.debug("The key {} cannot verify a token", key.id, e);
            }
        }
        return false;
    }

    /** Whether every one of those keys is here, too. */
    boolean includes(VerificationKeys others) {
        return digests().containsAll(others.digests());
    }

    private Set<String> digests() {
        return keys.stream().map(key -> key.id + ' ' + key.digest).collect(Collectors.toSet());
    }
}

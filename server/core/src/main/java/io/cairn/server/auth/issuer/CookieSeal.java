package io.cairn.server.auth.issuer;

import com.nimbusds.jose.CompressionAlgorithm;
import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWEObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.DirectDecrypter;
import com.nimbusds.jose.crypto.DirectEncrypter;
import io.cairn.server.auth.SigningKeys;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encrypts and authenticates the values of cookies, with keys made of those that sign tokens, so that every node can open them.
 * Thread-safe.
 */
final class CookieSeal {

    private static final Logger log = LoggerFactory.getLogger(CookieSeal.class);

    private static final String END = "exp";
    private static final JWEHeader HEADER = new JWEHeader.Builder(JWEAlgorithm.DIR, EncryptionMethod.A256GCM)
            .compressionAlgorithm(CompressionAlgorithm.DEF)
            .build();
    /** Browsers keep cookies of 4,096 characters, with name and attributes. */
    private static final int MAX_LENGTH = 3_800;

    private final Supplier<SigningKeys> keys;
    private final Clock clock;

    CookieSeal(Supplier<SigningKeys> keys, Clock clock) {
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Null if it does not fit into a cookie.
     *
     * @param purpose another one does not open it
     */
    @Nullable
    String seal(String purpose, Map<String, String> texts, Duration lifetime) {
        Map<String, Object> content = new LinkedHashMap<>(texts);
        content.put(END, clock.millis() + lifetime.toMillis());
        JWEObject sealed = new JWEObject(HEADER, new Payload(content));
        try {
            sealed.encrypt(new DirectEncrypter(
                    keys.get().derived(purpose, clock.millis()).get(0)));
        } catch (JOSEException e) {
            throw new IllegalStateException("a cookie cannot be encrypted", e);
        }
        String text = sealed.serialize();
        return text.length() > MAX_LENGTH ? null : text;
    }

    /** Null for a value that is absent, old, of another purpose, or not sealed here. */
    @Nullable
    Map<String, Object> open(String purpose, @Nullable String text) {
        if (text == null || text.length() > MAX_LENGTH) {
            return null;
        }
        for (byte[] key : keys.get().derived(purpose, clock.millis())) {
            try {
                JWEObject sealed = JWEObject.parse(text);
                if (!HEADER.getEncryptionMethod().equals(sealed.getHeader().getEncryptionMethod())) {
                    return null;
                }
                sealed.decrypt(new DirectDecrypter(key));
                Map<String, Object> content = sealed.getPayload().toJSONObject();
                return content != null && content.get(END) instanceof Number end && clock.millis() < end.longValue()
                        ? content
                        : null;
            } catch (ParseException | JOSEException | IllegalArgumentException | IllegalStateException e) {
                // The former key may have sealed it.
                log.debug("A cookie cannot be opened as {}", purpose, e);
            }
        }
        return null;
    }
}

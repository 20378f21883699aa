package io.cairn.server.auth.issuer;

import static io.cairn.server.auth.issuer.IssuerHttp.failure;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads the keys of an issuer: where they are from its description, then the keys. Never blocks. */
final class KeyFetch {

    private static final String DESCRIPTION = "/.well-known/openid-configuration";

    private final String issuer;
    private final IssuerHttp http;
    private volatile @Nullable Description description;

    KeyFetch(String issuer, IssuerHttp http) {
        this.issuer = issuer;
        this.http = http;
    }

    /** Addresses in the description of an issuer, checked when they are used. */
    record Description(Map<String, Object> members) {

        /** @throws IllegalArgumentException without that member, or for an address that is not safe */
        URI url(String member) {
            try {
                return IssuerSettings.checkUrl(String.valueOf(members.get(member)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(DESCRIPTION + ": " + member + ": " + e.getMessage(), e);
            }
        }

        boolean has(String member) {
            return members.containsKey(member);
        }

        /** Whether the member lists the value. */
        boolean lists(String member, String value) {
            return members.get(member) instanceof Collection<?> many && many.contains(value);
        }
    }

    /** As last read; null before the first answer. */
    @Nullable
    Description description() {
        return description;
    }

    /** Fails with an {@link IOException} with the answer of the issuer in its message. */
    CompletionStage<VerificationKeys> keys() {
        return http.get(URI.create(
                        (issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer) + DESCRIPTION))
                .thenCompose(text -> http.get(keysOf(text)).thenApply(KeyFetch::parsed));
    }

    private URI keysOf(String text) {
        try {
            Map<String, Object> members = JSONObjectUtils.parse(text);
            if (!issuer.equals(members.get("issuer"))) {
                throw failure("it describes the issuer '" + members.get("issuer") + "' (expected: '" + issuer + "')");
            }
            Description read = new Description(members);
            URI keys = read.url("jwks_uri");
            description = read;
            return keys;
        } catch (ParseException e) {
            throw failure(DESCRIPTION + ": " + e.getMessage());
        } catch (IllegalArgumentException e) {
            throw failure(String.valueOf(e.getMessage()));
        }
    }

    private static VerificationKeys parsed(String text) {
        try {
            VerificationKeys keys = VerificationKeys.parse(text);
            if (keys.isEmpty()) {
                throw failure(
                        "it publishes no key that verifies tokens (expected: an RSA key of 2048 bits, or an EC key)");
            }
            return keys;
        } catch (ParseException e) {
            throw failure("its keys cannot be read: " + e.getMessage());
        }
    }
}

package io.cairn.server.auth.issuer;

import java.net.URI;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How people log in at an issuer.
 *
 * @param publicUrl of this server in browsers, with the context path and without a slash at its end
 * @param clientId of this server at the issuer
 * @param clientSecret null for a public client
 * @param scopes that are asked for
 * @param asksUserInfo whether a login reads the claims at the issuer that its token lacks
 * @param label of the button; empty for that of the console
 */
public record LoginSettings(
        String publicUrl,
        String clientId,
        @Nullable String clientSecret,
        Set<String> scopes,
        boolean asksUserInfo,
        String label) {

    private static final Pattern PLAIN_URL =
            Pattern.compile("https?://([A-Za-z0-9.-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/*");

    /** @throws IllegalArgumentException with the fault */
    public LoginSettings {
        scopes = Set.copyOf(scopes);
        if (!PLAIN_URL.matcher(publicUrl).matches()) {
            throw new IllegalArgumentException("public-url: '" + publicUrl
                    + "' (expected: the address of the console in browsers, such as https://cairn.example.com/nacos)");
        }
        while (publicUrl.endsWith("/")) {
            publicUrl = publicUrl.substring(0, publicUrl.length() - 1);
        }
        if (!scopes.contains("openid")) {
            throw new IllegalArgumentException("scopes: " + scopes + " (expected: openid and others)");
        }
    }

    boolean isSecure() {
        return publicUrl.startsWith("https:");
    }

    /** As the browser sees it; empty without one. */
    String path() {
        return URI.create(publicUrl).getRawPath();
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return publicUrl + " as " + clientId;
    }
}

package io.cairn.server.auth;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A person whom an issuer has identified in a login, as this server's token for the person has it.
 *
 * @param issuer the source: the URL of the issuer
 * @param subject unique at the issuer
 * @param name for people and records, with the prefix of the source
 * @param rules the matching rules of the settings and the store; a rule that is no longer there gives no role
 */
public record IssuedLogin(String issuer, String subject, String name, List<String> rules) {

    public IssuedLogin {
        rules = List.copyOf(rules);
    }

    Map<String, Object> claims() {
        return Map.of("iss", issuer, "sub", subject, "name", name, "rules", rules);
    }

    /** Null for another value than {@link #claims}. */
    static @Nullable IssuedLogin read(@Nullable Object value) {
        return value instanceof Map<?, ?> claims
                        && claims.get("iss") instanceof String issuer
                        && claims.get("sub") instanceof String subject
                        && claims.get("name") instanceof String name
                        && claims.get("rules") instanceof List<?> rules
                ? new IssuedLogin(
                        issuer,
                        subject,
                        name,
                        rules.stream()
                                .filter(String.class::isInstance)
                                .map(String.class::cast)
                                .toList())
                : null;
    }
}

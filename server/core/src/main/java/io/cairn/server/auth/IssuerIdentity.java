package io.cairn.server.auth;

import java.util.Set;

/**
 * A caller that an issuer outside this server has identified, for as long as one of its tokens is valid. It is the issuer and the
 * subject, and never the local user of the same name.
 *
 * @param issuer the source: the URL of the issuer, or that of {@link LdapUsers}
 * @param subject unique at the issuer
 * @param name for people and records, with the prefix of the source
 * @param roles by the rules of the settings for the claims of the token
 * @param storedRules the stored rules that match the claims; one that is no longer stored gives no role
 * @param expiresAtMillis epoch milliseconds
 */
public record IssuerIdentity(
        String issuer, String subject, String name, Set<String> roles, Set<String> storedRules, long expiresAtMillis) {

    public IssuerIdentity {
        roles = Set.copyOf(roles);
        storedRules = Set.copyOf(storedRules);
    }

    /** Without a stored rule. */
    public IssuerIdentity(String issuer, String subject, String name, Set<String> roles, long expiresAtMillis) {
        this(issuer, subject, name, roles, Set.of(), expiresAtMillis);
    }

    Principal.Kind kind() {
        return issuer.equals(LdapUsers.SOURCE) ? Principal.Kind.LDAP : Principal.Kind.OIDC;
    }

    /** Whether both are the same caller, maybe by different tokens. */
    boolean isSameCaller(IssuerIdentity other) {
        return issuer.equals(other.issuer) && subject.equals(other.subject);
    }
}

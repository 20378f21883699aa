package io.cairn.server.auth;

import java.util.List;

/** @param rules that give roles to the callers of an issuer, beside those of the settings */
public record AccountRows(
        List<User> users,
        List<Role> roles,
        List<PermissionRow> permissions,
        List<Token> tokens,
        List<IssuerRule> rules) {

    public static final AccountRows NONE = new AccountRows(List.of(), List.of(), List.of(), List.of(), List.of());

    public AccountRows {
        users = List.copyOf(users);
        roles = List.copyOf(roles);
        permissions = List.copyOf(permissions);
        tokens = List.copyOf(tokens);
        rules = List.copyOf(rules);
    }

    /**
     * @param password its bcrypt hash
     * @param mustChange whether the server or another user chose the password
     */
    public record User(String name, String password, boolean enabled, boolean mustChange) {}

    public record Role(String role, String username) {}

    public record PermissionRow(String role, String resource, String action) {}

    /**
     * A machine's token.
     *
     * @param digest of its secret
     * @param revokedAtMillis 0 unless revoked
     */
    public record Token(
            String id,
            String name,
            String digest,
            List<Scope> scopes,
            String createdBy,
            long createdAtMillis,
            long expiresAtMillis,
            long revokedAtMillis) {

        public Token {
            scopes = List.copyOf(scopes);
        }
    }

    /**
     * A rule for the callers of an issuer.
     *
     * @param changedBy the name in the audit of the caller that stored or changed it last
     */
    public record IssuerRule(String id, RoleRule rule, String changedBy, long changedAtMillis) {}

    public record Scope(String resource, String action) {}
}

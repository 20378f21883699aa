package io.cairn.server.auth;

import java.util.List;

/** All accounts as they are stored. */
public record AccountRows(List<User> users, List<Role> roles, List<PermissionRow> permissions, List<Token> tokens) {

    public AccountRows {
        users = List.copyOf(users);
        roles = List.copyOf(roles);
        permissions = List.copyOf(permissions);
        tokens = List.copyOf(tokens);
    }

    /**
     * @param password its bcrypt hash
     * @param mustChange whether the password was chosen by the server or by another user
     */
    public record User(String name, String password, boolean enabled, boolean mustChange) {}

    public record Role(String role, String username) {}

    public record PermissionRow(String role, String resource, String action) {}

    /**
     * A token for a machine.
     *
     * @param digest of its secret
     * @param scopes the rights of the token
     * @param createdBy the user that has created it
     * @param revokedAtMillis 0 unless it is revoked
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

    /** One thing that a token may do. */
    public record Scope(String resource, String action) {}
}

package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;

public sealed interface AccountChange {

    /** @param password its bcrypt hash */
    record CreateUser(String username, String password, boolean mustChange) implements AccountChange {}

    /**
     * Creates the first administrator, which must change its password. {@link LdapUsers} do not count, because they cannot log in.
     *
     * @param password its bcrypt hash
     */
    record CreateFirstAdmin(String username, String password) implements AccountChange {}

    /** @param password its bcrypt hash */
    record SetPassword(String username, String password, boolean mustChange) implements AccountChange {}

    /**
     * Replaces a password; the user must change it. {@code ABSENT} if the stored hash is not {@code before}.
     *
     * @param password the new bcrypt hash
     */
    record ReplacePassword(String username, String before, String password) implements AccountChange {}

    /** Deletes the user with its roles. */
    record DeleteUser(String username) implements AccountChange {}

    record GrantRole(String role, String username) implements AccountChange {}

    /** @param username null for all users */
    record RevokeRole(String role, @Nullable String username) implements AccountChange {}

    record AddPermission(String role, String resource, String action) implements AccountChange {}

    record RemovePermission(String role, String resource, String action) implements AccountChange {}

    record CreateToken(AccountRows.Token token) implements AccountChange {}

    record RevokeToken(String id, long atMillis) implements AccountChange {}

    /** {@code EXISTS} if a rule says the same. */
    record CreateRule(AccountRows.IssuerRule rule) implements AccountChange {}

    /** {@code ABSENT} if the stored rule is not {@code before}; {@code EXISTS} if another one says the same as {@code rule}. */
    record UpdateRule(RoleRule before, AccountRows.IssuerRule rule) implements AccountChange {}

    /** {@code ABSENT} if the stored rule is not {@code before}. */
    record DeleteRule(String id, RoleRule before) implements AccountChange {}

    enum Outcome {
        DONE,
        /** Nothing was done. */
        EXISTS,
        /** Nothing was done. */
        ABSENT
    }
}

package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;

/** One change of the accounts. */
public sealed interface AccountChange {

    /** @param password its bcrypt hash */
    record CreateUser(String username, String password, boolean mustChange) implements AccountChange {}

    /**
     * Creates a user that may do everything and must change its password, if no such user exists.
     *
     * @param password its bcrypt hash
     */
    record CreateFirstAdmin(String username, String password) implements AccountChange {}

    /** @param password its bcrypt hash */
    record SetPassword(String username, String password, boolean mustChange) implements AccountChange {}

    /**
     * Replaces the password of a user, which must then change it. The outcome is {@code ABSENT} if the stored password
     * is no longer {@code before}.
     *
     * @param before the bcrypt hash that is stored
     * @param password the new bcrypt hash
     */
    record ReplacePassword(String username, String before, String password) implements AccountChange {}

    /** Deletes the user and all its roles. */
    record DeleteUser(String username) implements AccountChange {}

    record GrantRole(String role, String username) implements AccountChange {}

    /** @param username the user that loses the role; null for all users */
    record RevokeRole(String role, @Nullable String username) implements AccountChange {}

    record AddPermission(String role, String resource, String action) implements AccountChange {}

    record RemovePermission(String role, String resource, String action) implements AccountChange {}

    record CreateToken(AccountRows.Token token) implements AccountChange {}

    record RevokeToken(String id, long atMillis) implements AccountChange {}

    /** The outcome of a change. */
    enum Outcome {
        DONE,
        /** The object exists already; nothing was done. */
        EXISTS,
        /** The object does not exist; nothing was done. */
        ABSENT
    }
}

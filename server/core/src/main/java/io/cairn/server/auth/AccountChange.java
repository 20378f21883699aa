package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;

/** One change of the accounts. */
public sealed interface AccountChange {

    /** @param password its bcrypt hash */
    record CreateUser(String username, String password, boolean mustChange) implements AccountChange {}

    /**
     * Makes a user that may do everything, and that is to change its password, where there is none that may do everything.
     *
     * @param password its bcrypt hash
     */
    record CreateFirstAdmin(String username, String password) implements AccountChange {}

    /** @param password its bcrypt hash */
    record SetPassword(String username, String password, boolean mustChange) implements AccountChange {}

    /**
     * Gives a user that has that password another one, which it is to change; {@code ABSENT} when the password is another one by now.
     *
     * @param before the bcrypt hash that is stored
     * @param password the new bcrypt hash
     */
    record ReplacePassword(String username, String before, String password) implements AccountChange {}

    /** Takes away the user and all its roles. */
    record DeleteUser(String username) implements AccountChange {}

    record GrantRole(String role, String username) implements AccountChange {}

    /** @param username whose; null for everybody's */
    record RevokeRole(String role, @Nullable String username) implements AccountChange {}

    record AddPermission(String role, String resource, String action) implements AccountChange {}

    record RemovePermission(String role, String resource, String action) implements AccountChange {}

    record CreateToken(AccountRows.Token token) implements AccountChange {}

    record RevokeToken(String id, long atMillis) implements AccountChange {}

    /** What became of it. */
    enum Outcome {
        DONE,
        /** There is one already; nothing was done. */
        EXISTS,
        /** There is none; nothing was done. */
        ABSENT
    }
}

package io.cairn.server.auth;

/**
 * Users stored by the LDAP plugin of Nacos: one for each person that logged in by the directory, with a prefix and the hash of
 * Nacos's shipped password. Such a user has no local password: it cannot log in with one or set one.
 */
public final class LdapUsers {

    /** The prefix of their names, case-sensitive. */
    public static final String PREFIX = "LDAP_";

    private LdapUsers() {}

    static boolean isOne(String username) {
        return username.startsWith(PREFIX);
    }
}

package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;

/**
 * Users of an LDAP directory. Nacos's plugin has stored one for each person that logged in, with a prefix and the hash of Nacos's
 * shipped password. Such a user has no local password: it cannot log in with one or set one. Its roles are those of the user of
 * the directory.
 */
public final class LdapUsers {

    /** The prefix of their names, case-sensitive. */
    public static final String PREFIX = "LDAP_";

    /** The source of identities of a directory, which is no URL as that of an issuer is. */
    public static final String SOURCE = "ldap";

    /** The prefix of the names that such identities have for people and in records. */
    private static final String SHOWN = SOURCE + ':';

    private LdapUsers() {}

    static boolean isOne(String username) {
        return username.startsWith(PREFIX);
    }

    /** The name for people and records. */
    public static String shown(String username) {
        return SHOWN + username;
    }

    /** The name of the stored user with the roles of an identity; null for an identity of another source. */
    static @Nullable String stored(IssuerIdentity identity) {
        return identity.issuer().equals(SOURCE) && identity.name().startsWith(SHOWN)
                ? PREFIX + identity.name().substring(SHOWN.length())
                : null;
    }
}

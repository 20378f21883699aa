package io.cairn.server.auth.directory;

import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.RoleRule;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import org.jspecify.annotations.Nullable;

/**
 * A directory and how users are found in it.
 *
 * @param servers of the same directory, tried in turn, as {@code ldaps://host:636}
 * @param startTls whether connections by {@code ldap://} are encrypted before a password is sent
 * @param trusted PEM file of authorities for the servers' certificates; null for the authorities of the Java runtime
 * @param connectTimeout of each connection, with its TLS handshake
 * @param readTimeout of each response
 * @param maxBinds logins under way at a time
 * @param base below which users are searched
 * @param searchAccount DN of the account that searches; null to search without an account
 * @param nameAttribute has the name that users log in with
 * @param isCaseSensitive whether names keep the case in which users write them; else they are in lower case
 * @param subjectAttribute identifies a user for good; null for the DN
 * @param groups how the groups of a user are found
 * @param rules as {@code groups=name -> role}
 */
public record DirectorySettings(
        List<URI> servers,
        boolean startTls,
        @Nullable Path trusted,
        Duration connectTimeout,
        Duration readTimeout,
        int maxBinds,
        LdapName base,
        @Nullable Account searchAccount,
        String nameAttribute,
        boolean isCaseSensitive,
        @Nullable String subjectAttribute,
        Groups groups,
        List<String> rules) {

    private static final Pattern ATTRIBUTE = Pattern.compile("[A-Za-z][A-Za-z0-9-]*|[0-9]+(\\.[0-9]+)+");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[01]}");

    /** An attribute that every user has. */
    private static final String OF_EVERY_USER = "objectClass";

    public record Account(String name, String password) {

        /** A bind with a name and without a password succeeds at many servers and proves nothing. */
        public Account {
            if (password.isEmpty()) {
                throw new IllegalArgumentException(
                        "the account '" + name + "' has no password (expected: its password)");
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** How groups inside groups are found. */
    public enum Nesting {
        NONE,
        /** By one search with a matching rule that Active Directory has. */
        ACTIVE_DIRECTORY,
        /** By searches for the groups of each group. */
        SEARCH
    }

    /**
     * @param base below which groups are searched
     * @param filter with {@code {0}} for the DN of the user and {@code {1}} for its name
     * @param nameAttribute the value that rules compare
     */
    public record Groups(LdapName base, String filter, String nameAttribute, Nesting nesting) {

        /** @throws IllegalArgumentException with the fault */
        public Groups {
            if (!filter.startsWith("(")
                    || !filter.endsWith(")")
                    || !PLACEHOLDER.matcher(filter).find()) {
                throw new IllegalArgumentException("group-filter: '" + filter
                        + "' (expected: a filter with {0} for the DN of the user or {1} for its"
                        + " name, such as (member={0}))");
            }
            attribute("group-name-attribute", nameAttribute);
        }
    }

    /** @throws IllegalArgumentException with the fault */
    public DirectorySettings {
        servers = List.copyOf(servers);
        rules = List.copyOf(rules);
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("url: none (expected: the server of the directory, as ldaps://host)");
        }
        if (startTls && servers.stream().noneMatch(DirectorySettings::isPlain)) {
            throw new IllegalArgumentException(
                    "start-tls: true with ldaps:// alone (expected: ldap://host, or start-tls=false)");
        }
        attribute("name-attribute", nameAttribute);
        if (subjectAttribute != null) {
            attribute("subject-attribute", subjectAttribute);
        }
        for (String rule : rules) {
            RoleRule parsed = parsed(rule);
            if (parsed.role().equals(Accounts.ADMIN_ROLE) && parsed.claim().equalsIgnoreCase(OF_EVERY_USER)) {
                throw new IllegalArgumentException(
                        "rules: '" + rule + "' makes every user of the directory an administrator"
                                + " (expected: a group or an attribute that only administrators have)");
            }
        }
    }

    /** @throws IllegalArgumentException for a text that is no name of an attribute */
    public static String attribute(String setting, String text) {
        if (!ATTRIBUTE.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    setting + ": '" + text + "' is no name of an attribute (expected: such as uid or sAMAccountName)");
        }
        return text;
    }

    private static RoleRule parsed(String rule) {
        try {
            return RoleRule.parse(rule);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("rules: " + e.getMessage(), e);
        }
    }

    static boolean isPlain(URI server) {
        return "ldap".equals(server.getScheme());
    }

    /** Whether passwords travel unencrypted to a server that is not on this machine. */
    public boolean isReadableOnTheWay() {
        return !startTls && servers.stream().anyMatch(server -> isPlain(server) && !isLoopback(server.getHost()));
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    /** @throws IllegalArgumentException for a text that is no address of a server */
    public static URI server(String text) {
        URI url;
        try {
            url = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "url: '" + text + "' is no URL (expected: ldaps://host or ldap://host:389)", e);
        }
        boolean isLdap = "ldap".equals(url.getScheme()) || "ldaps".equals(url.getScheme());
        String path = url.getRawPath();
        boolean isBare = (path == null || path.isEmpty() || path.equals("/")) && url.getRawQuery() == null;
        if (!isLdap || url.getHost() == null || !isBare) {
            throw new IllegalArgumentException("url: '" + text
                    + "' (expected: ldaps://host or ldap://host:389; the base of the search is a setting of its own)");
        }
        int port = url.getPort() > 0 ? url.getPort() : isPlain(url) ? 389 : 636;
        return URI.create(url.getScheme() + "://" + url.getHost() + ':' + port);
    }

    /** @throws IllegalArgumentException for a text that is no DN */
    public static LdapName name(String setting, String text) {
        try {
            return new LdapName(text);
        } catch (InvalidNameException e) {
            throw new IllegalArgumentException(
                    setting + ": '" + text + "' is no DN (expected: such as ou=people,dc=example,dc=com)", e);
        }
    }

    /** The attributes of a user that rules compare. */
    List<String> attributesInRules() {
        TreeSet<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (String rule : rules) {
            names.add(RoleRule.parse(rule).claim());
        }
        names.removeAll(List.of(UserClaims.GROUPS, UserClaims.GROUP_DN));
        return List.copyOf(names);
    }

    boolean needsGroups() {
        return rules.stream()
                .map(rule -> RoleRule.parse(rule).claim())
                .anyMatch(claim -> claim.equals(UserClaims.GROUPS) || claim.equals(UserClaims.GROUP_DN));
    }
}

package io.cairn.server.wiring.settings;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What Nacos has no setting for, about the LDAP directory in which users log in.
 *
 * @param startTls whether connections by ldap:// are encrypted before a password is sent
 * @param trustedCertificates PEM file; empty for the certificates of the Java runtime
 * @param readTimeout of each response of the directory
 * @param maxBinds logins under way at a time
 * @param subjectAttribute identifies a user for good; empty for its DN
 * @param groupBase below which groups are searched; empty for the base of users
 * @param groupFilter finds the groups of a user
 * @param groupNameAttribute the value that rules compare
 * @param nestedGroups how groups in groups are found
 * @param rules roles by groups and attributes, as {@code groups=platform -> ROLE_ADMIN}
 */
@ConfigurationProperties("cairn.auth.ldap")
public record LdapProperties(
        @DefaultValue("false") boolean startTls,
        @DefaultValue("") String trustedCertificates,
        @DefaultValue("5s") Duration readTimeout,
        @DefaultValue("8") int maxBinds,
        @DefaultValue("") String subjectAttribute,
        @DefaultValue("") String groupBase,
        @DefaultValue("(member={0})") String groupFilter,
        @DefaultValue("cn") String groupNameAttribute,
        @DefaultValue("none") NestedGroups nestedGroups,
        @DefaultValue List<String> rules) {

    /** How groups in groups are found. */
    public enum NestedGroups {
        NONE,
        ACTIVE_DIRECTORY,
        SEARCH
    }

    public LdapProperties {
        CairnProperties.atLeast("auth.ldap.read-timeout", readTimeout, Duration.ofMillis(100));
        CairnProperties.inRange("auth.ldap.max-binds", maxBinds, 1, 100);
    }
}

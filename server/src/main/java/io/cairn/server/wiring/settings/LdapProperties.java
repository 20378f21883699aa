package io.cairn.server.wiring.settings;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * An LDAP directory, beside the settings of Nacos for it.
 *
 * @param trustedCertificates PEM file; empty for the certificates of the Java runtime
 * @param subjectAttribute empty for the DN
 * @param groupBase empty for the base of users
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

package io.cairn.server.wiring.settings;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.directory.DirectorySettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.naming.ldap.LdapName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/** Reads the settings of a directory by the names of Nacos and Cairn. */
public final class LdapSettings {

    static final String TYPE = "ldap";

    private static final String NACOS = "nacos.core.auth.ldap.";
    private static final String URL = NACOS + "url";
    private static final String BASE = NACOS + "basedc";
    private static final String ACCOUNT = NACOS + "userDn";
    private static final String PASSWORD = NACOS + "password";
    private static final String PREFIX = NACOS + "filter.prefix";
    private static final String CASE = NACOS + "case.sensitive";
    private static final String CAIRN = "cairn.auth.ldap.";
    private static final Logger log = LoggerFactory.getLogger(LdapSettings.class);

    private LdapSettings() {}

    public static boolean isSet(Environment environment) {
        return TYPE.equals(NacosSettings.first(environment, AuthSettings.TYPE));
    }

    /** The settings that must agree on all nodes; empty without a directory. */
    public static Map<String, Object> common(Environment environment, LdapProperties properties) {
        return isSet(environment)
                ? Map.of(
                        BASE,
                        String.valueOf(NacosSettings.first(environment, BASE)),
                        CAIRN + "subject-attribute",
                        properties.subjectAttribute(),
                        CAIRN + "rules",
                        properties.rules())
                : Map.of();
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for a wrong setting */
    public static DirectorySettings read(Environment environment, LdapProperties properties, Path home) {
        String base = NacosSettings.first(environment, BASE);
        if (base == null) {
            throw NacosSettings.refusal(BASE + ": none (expected: below which users are, such as dc=example,dc=com)");
        }
        String prefix = nameAttribute(environment);
        String subject = properties.subjectAttribute().trim();
        String trusted = properties.trustedCertificates().trim();
        String groups = properties.groupBase().trim();
        List<URI> servers = servers(NacosSettings.first(environment, URL));
        DirectorySettings.Account account = account(environment);
        LdapName users = name(BASE, base);
        LdapName groupBase = groups.isEmpty() ? users : name(CAIRN + "group-base", groups);
        try {
            DirectorySettings settings = new DirectorySettings(
                    servers,
                    properties.startTls(),
                    trusted.isEmpty() ? null : home.resolve(trusted).normalize(),
                    Duration.ofMillis(NacosSettings.number(environment, 3000, 100, 600_000, NACOS + "timeout")),
                    properties.readTimeout(),
                    properties.maxBinds(),
                    users,
                    account,
                    prefix,
                    NacosSettings.flag(environment, true, CASE),
                    subject.isEmpty() ? null : subject,
                    new DirectorySettings.Groups(
                            groupBase,
                            properties.groupFilter().trim(),
                            properties.groupNameAttribute().trim(),
                            DirectorySettings.Nesting.valueOf(
                                    properties.nestedGroups().name())),
                    properties.rules());
            explain(environment, settings);
            return settings;
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(CAIRN + e.getMessage());
        }
    }

    private static String nameAttribute(Environment environment) {
        String name = NacosSettings.first(environment, PREFIX);
        if (name == null) {
            return "uid";
        }
        try {
            return DirectorySettings.attribute(PREFIX, name);
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(String.valueOf(e.getMessage()));
        }
    }

    private static List<URI> servers(@Nullable String urls) {
        if (urls == null) {
            throw NacosSettings.refusal(URL + ": none (expected: the server of the directory, as ldaps://host)");
        }
        try {
            return Arrays.stream(urls.split("[\\s,]+"))
                    .filter(url -> !url.isEmpty())
                    .map(DirectorySettings::server)
                    .toList();
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(NACOS + e.getMessage());
        }
    }

    private static DirectorySettings.@Nullable Account account(Environment environment) {
        String name = NacosSettings.first(environment, ACCOUNT);
        // A password may begin or end with a blank.
        String password = environment.getProperty(PASSWORD);
        if (name == null) {
            return null;
        }
        try {
            return new DirectorySettings.Account(name, password == null ? "" : password);
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(PASSWORD + ": " + e.getMessage());
        }
    }

    private static LdapName name(String setting, String text) {
        try {
            return DirectorySettings.name(setting, text);
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(String.valueOf(e.getMessage()));
        }
    }

    private static void explain(Environment environment, DirectorySettings settings) {
        log.info("{}=ldap does not switch off local users: a local user is tried first, and alone", AuthSettings.TYPE);
        if (isWritten(environment, NACOS + "userdn")) {
            log.info("{}userdn has no effect, as in Nacos 3: users are found by a search for {}", NACOS, PREFIX);
        }
        if (settings.isReadableOnTheWay()) {
            log.warn(
                    "PASSWORDS OF USERS TRAVEL UNENCRYPTED to {} (set ldaps:// in {} or {}start-tls=true)",
                    settings.servers(),
                    URL,
                    CAIRN);
        }
        log.info(
                "Users log in as local users or with their password in the directory {} below {} ({})",
                settings.servers(),
                settings.base(),
                settings.rules().isEmpty()
                        ? "no rule in " + CAIRN + "rules, so they have only the roles of stored users LDAP_<name>"
                        : "rules " + settings.rules());
    }

    /** Whether a setting has exactly that name: {@code userDn} is another one, and Spring ignores case. */
    private static boolean isWritten(Environment environment, String name) {
        if (environment instanceof ConfigurableEnvironment all) {
            for (PropertySource<?> source : all.getPropertySources()) {
                if (source.getSource() instanceof Map<?, ?> values && values.containsKey(name)) {
                    return true;
                }
            }
        }
        return false;
    }
}

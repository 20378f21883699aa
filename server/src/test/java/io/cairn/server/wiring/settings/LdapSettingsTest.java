package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.api.error.CairnException;
import io.cairn.server.auth.directory.DirectorySettings;
import io.cairn.server.auth.directory.DirectorySettings.Nesting;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

class LdapSettingsTest {

    private static final String NACOS = "nacos.core.auth.ldap.";
    private static final Map<String, String> OF_NACOS = Map.of(
            "nacos.core.auth.system.type",
            "ldap",
            NACOS + "url",
            "ldap://localhost:1389",
            NACOS + "basedc",
            "dc=example,dc=org",
            NACOS + "userDn",
            "cn=admin,dc=example,dc=org",
            NACOS + "password",
            "admin");

    @Test
    void withoutTheTypeNothingIsSet() {
        Map<String, String> others = new HashMap<>(OF_NACOS);
        others.remove("nacos.core.auth.system.type");
        StandardEnvironment environment = environment(others);

        assertThat(LdapSettings.isSet(environment)).isFalse();
        assertThat(LdapSettings.common(environment, properties(environment))).isEmpty();
        assertThat(LdapSettings.isSet(environment(OF_NACOS))).isTrue();
    }

    @Test
    void readsTheSettingsOfNacosByTheirNames() {
        DirectorySettings settings = read(with(
                NACOS + "timeout",
                "1500",
                NACOS + "filter.prefix",
                "cn",
                NACOS + "case.sensitive",
                "false",
                NACOS + "ignore.partial.result.exception",
                "true"));

        assertThat(settings.servers()).containsExactly(URI.create("ldap://localhost:1389"));
        assertThat(settings.base()).hasToString("dc=example,dc=org");
        assertThat(settings.searchAccount())
                .isEqualTo(new DirectorySettings.Account("cn=admin,dc=example,dc=org", "admin"));
        assertThat(settings.connectTimeout()).isEqualTo(Duration.ofMillis(1500));
        assertThat(settings.nameAttribute()).isEqualTo("cn");
        assertThat(settings.isCaseSensitive()).isFalse();
    }

    @Test
    void hasTheDefaultsOfNacosAndNoAdministrator() {
        DirectorySettings settings = read(OF_NACOS);

        assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.nameAttribute()).isEqualTo("uid");
        assertThat(settings.isCaseSensitive()).isTrue();
        assertThat(settings.rules()).isEmpty();
        assertThat(settings.groups().base()).isEqualTo(settings.base());
        assertThat(settings.groups().nesting()).isEqualTo(Nesting.NONE);
    }

    @Test
    void readsWhatNacosHasNoSettingFor() {
        DirectorySettings settings = read(with(
                NACOS + "url",
                "ldap://one, ldaps://two",
                "cairn.auth.ldap.start-tls",
                "true",
                "cairn.auth.ldap.nested-groups",
                "active-directory",
                "cairn.auth.ldap.group-base",
                "ou=groups,dc=example,dc=org",
                "cairn.auth.ldap.rules[0]",
                "groupDn=cn=a,ou=b -> DEV"));

        assertThat(settings.servers()).containsExactly(URI.create("ldap://one:389"), URI.create("ldaps://two:636"));
        assertThat(settings.startTls()).isTrue();
        assertThat(settings.groups().nesting()).isEqualTo(Nesting.ACTIVE_DIRECTORY);
        assertThat(settings.groups().base()).hasToString("ou=groups,dc=example,dc=org");
        assertThat(settings.rules()).containsExactly("groupDn=cn=a,ou=b -> DEV");
    }

    @Test
    void theTemplateThatNacosDoesNotReadIsNoSearchAccount() {
        Map<String, String> anonymous = new HashMap<>(OF_NACOS);
        anonymous.remove(NACOS + "userDn");
        anonymous.put(NACOS + "userdn", "cn={0},dc=company,dc=com");

        assertThat(read(anonymous).searchAccount()).isNull();
    }

    @Test
    void refusesWithTheNameOfTheSetting() {
        refuses(with(NACOS + "url", ""), "nacos.core.auth.ldap.url: none");
        refuses(with(NACOS + "url", "http://x"), "nacos.core.auth.ldap.url: 'http://x'");
        refuses(with(NACOS + "basedc", ""), "nacos.core.auth.ldap.basedc: none");
        refuses(with(NACOS + "basedc", "example.org"), "nacos.core.auth.ldap.basedc: 'example.org' is no DN");
        refuses(with(NACOS + "password", ""), "nacos.core.auth.ldap.password: the account");
        refuses(with(NACOS + "filter.prefix", "uid=*)(x"), "'uid=*)(x' is no name of an attribute");
        refuses(with("cairn.auth.ldap.group-base", "groups"), "cairn.auth.ldap.group-base: 'groups' is no DN");
        refuses(with("cairn.auth.ldap.group-filter", "(member=x)"), "cairn.auth.ldap.group-filter: '(member=x)'");
        refuses(with("cairn.auth.ldap.rules", "groups=* -> DEV"), "cairn.auth.ldap.rules: 'groups=* -> DEV'");
        refuses(
                with(NACOS + "url", "ldaps://x", "cairn.auth.ldap.start-tls", "true"),
                "cairn.auth.ldap.start-tls: true with ldaps:// alone");
    }

    @Test
    void warnsOfPasswordsOnTheNetworkAndNamesTheTemplateWithoutEffect() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(LdapSettings.class);
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
        try {
            read(with(NACOS + "url", "ldap://ldap.example.com", NACOS + "userdn", "cn={0},dc=company,dc=com"));
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .anyMatch(line ->
                        line.startsWith("PASSWORDS OF USERS TRAVEL UNENCRYPTED to [ldap://ldap.example.com:389]"))
                .anyMatch(line -> line.startsWith("nacos.core.auth.ldap.userdn has no effect, as in Nacos 3"));
    }

    private static void refuses(Map<String, String> settings, String text) {
        assertThatThrownBy(() -> read(settings))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining(text);
    }

    private static Map<String, String> with(String... more) {
        Map<String, String> all = new HashMap<>(OF_NACOS);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    private static DirectorySettings read(Map<String, String> settings) {
        StandardEnvironment environment = environment(settings);
        return LdapSettings.read(environment, properties(environment), Path.of(""));
    }

    private static LdapProperties properties(StandardEnvironment environment) {
        return new Binder(ConfigurationPropertySources.from(environment.getPropertySources()))
                .bindOrCreate("cairn.auth.ldap", LdapProperties.class);
    }

    private static StandardEnvironment environment(Map<String, String> settings) {
        StandardEnvironment environment = new StandardEnvironment();
        // The environment variables of this machine are ignored.
        environment.getPropertySources().stream()
                .map(PropertySource::getName)
                .toList()
                .forEach(environment.getPropertySources()::remove);
        environment.getPropertySources().addFirst(new MapPropertySource("test", Map.copyOf(settings)));
        return environment;
    }
}

package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.issuer.IssuerSettings;
import io.cairn.server.auth.issuer.LoginSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

class OidcSettingsTest {

    private static final String NACOS = "nacos.core.auth.plugin.oidc.";
    private static final String PUBLIC_URL = "cairn.auth.oidc.public-url";
    private static final Map<String, String> OF_NACOS =
            Map.of(NACOS + "issuer-uri", "https://idp.example/realm", NACOS + "client-id", "nacos-server");

    @Test
    void withoutAnIssuerNothingIsSet() {
        StandardEnvironment environment = environment(Map.of(NACOS + "client-id", "x"));

        assertThat(OidcSettings.isSet(environment, properties(environment))).isFalse();
        assertThat(OidcSettings.common(environment, properties(environment))).isEmpty();
    }

    @Test
    void readsTheSettingsOfNacosByTheirNames() {
        IssuerSettings settings = read(with(
                OF_NACOS,
                NACOS + "username-claim",
                "email",
                NACOS + "jwks-cache-ttl-seconds",
                "600",
                NACOS + "roles-claim",
                "realm_access.roles",
                NACOS + "admin-role",
                "nacos-admin"));

        assertThat(settings.issuer()).isEqualTo("https://idp.example/realm");
        assertThat(settings.audiences()).containsExactly("nacos-server");
        assertThat(settings.usernameClaim()).isEqualTo("email");
        assertThat(settings.keyLifetime()).isEqualTo(Duration.ofMinutes(10));
        assertThat(settings.rules()).containsExactly("realm_access.roles=nacos-admin -> ROLE_ADMIN");
    }

    @Test
    void nobodyIsAnAdministratorByDefault() {
        assertThat(read(OF_NACOS).rules()).isEmpty();
        assertThat(read(OF_NACOS).usernameClaim()).isEqualTo("preferred_username");
    }

    @Test
    void settingsOfCairnComeFirst() {
        IssuerSettings settings = read(with(
                OF_NACOS,
                "cairn.auth.oidc.issuer",
                "https://other.example",
                "cairn.auth.oidc.audiences",
                "cairn,registry",
                "cairn.auth.oidc.rules[0]",
                "groups=CN=a,OU=b -> DEV"));

        assertThat(settings.issuer()).isEqualTo("https://other.example");
        assertThat(settings.audiences()).containsExactlyInAnyOrder("cairn", "registry");
        assertThat(settings.rules()).containsExactly("groups=CN=a,OU=b -> DEV");
    }

    @Test
    void refusesWithTheNameOfTheSetting() {
        refuses(Map.of("cairn.auth.oidc.issuer", "http://idp.example", "cairn.auth.oidc.audiences", "x"), "https://");
        refuses(Map.of("cairn.auth.oidc.issuer", "https://idp.example"), "cairn.auth.oidc.audiences: none");
        refuses(with(OF_NACOS, "cairn.auth.oidc.rules", "groups=* -> DEV"), "has no condition");
        refuses(with(OF_NACOS, "cairn.auth.oidc.algorithms", "HS256"), "cairn.auth.oidc.algorithms: [HS256]");
        refuses(with(OF_NACOS, NACOS + "token-validation-method", "introspection"), "(expected: jwt;");
    }

    @Test
    void peopleLogInWhereThePublicUrlIsSet(@TempDir Path folder) throws IOException {
        StandardEnvironment without = environment(OF_NACOS);
        assertThat(OidcSettings.isLoginSet(without, properties(without))).isFalse();

        LoginSettings ofNacos = readLogin(
                folder,
                NACOS + "client-secret",
                "s",
                NACOS + "scope",
                "openid groups",
                PUBLIC_URL,
                "https://c.example/nacos/");
        assertThat(ofNacos.publicUrl()).isEqualTo("https://c.example/nacos");
        assertThat(ofNacos.clientId()).isEqualTo("nacos-server");
        assertThat(ofNacos.clientSecret()).isEqualTo("s");
        assertThat(ofNacos.scopes()).containsExactlyInAnyOrder("openid", "groups");

        Files.writeString(folder.resolve("secret"), "of the file\nnot this");
        LoginSettings own = readLogin(
                folder,
                PUBLIC_URL,
                "http://c.intra:8848",
                "cairn.auth.oidc.client-id",
                "console",
                "cairn.auth.oidc.client-secret-file",
                "secret");
        assertThat(own.clientId()).isEqualTo("console");
        assertThat(own.clientSecret()).isEqualTo("of the file");
        assertThat(own.toString()).doesNotContain("of the file");
        assertThat(readLogin(folder, PUBLIC_URL, "http://c.intra:8848").clientSecret())
                .as("a public client")
                .isNull();
    }

    @Test
    void refusesALoginThatCannotWork(@TempDir Path folder) {
        for (String url : List.of(
                "c.example",
                "https://c.example/a?b=c",
                "https://u:p@c.example",
                "https://c.example/..;x",
                "javascript:x")) {
            refusesLogin(folder, "cairn.auth.oidc.public-url: '" + url, PUBLIC_URL, url);
        }
        refusesLogin(folder, "scopes: [email]", PUBLIC_URL, "https://c.example", "cairn.auth.oidc.scopes", "email");
        refusesLogin(
                folder,
                "client-secret-file: " + folder.resolve("absent"),
                PUBLIC_URL,
                "https://c.example",
                "cairn.auth.oidc.client-secret-file",
                "absent");
        StandardEnvironment none = environment(Map.of(PUBLIC_URL, "https://c.example"));
        assertThatThrownBy(() -> OidcSettings.readLogin(none, properties(none), folder))
                .hasMessageContaining("cairn.auth.oidc.client-id: none");
    }

    private static LoginSettings readLogin(Path home, String... more) {
        StandardEnvironment environment = environment(with(OF_NACOS, more));
        return OidcSettings.readLogin(environment, properties(environment), home);
    }

    private static void refusesLogin(Path home, String text, String... more) {
        assertThatThrownBy(() -> readLogin(home, more))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining(text);
    }

    private static void refuses(Map<String, String> settings, String text) {
        assertThatThrownBy(() -> read(settings))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining(text);
    }

    private static Map<String, String> with(Map<String, String> some, String... more) {
        Map<String, String> all = new HashMap<>(some);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    private static IssuerSettings read(Map<String, String> settings) {
        StandardEnvironment environment = environment(settings);
        return OidcSettings.read(environment, properties(environment), Path.of(""));
    }

    private static OidcProperties properties(StandardEnvironment environment) {
        return new Binder(ConfigurationPropertySources.from(environment.getPropertySources()))
                .bindOrCreate("cairn.auth.oidc", OidcProperties.class);
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

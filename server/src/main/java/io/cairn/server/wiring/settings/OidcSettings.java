package io.cairn.server.wiring.settings;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.issuer.IssuerSettings;
import io.cairn.server.auth.issuer.LoginSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Reads the settings of an issuer by the names of Cairn and of Nacos. */
public final class OidcSettings {

    private static final String NACOS = "nacos.core.auth.plugin.oidc.";
    private static final String CAIRN = "cairn.auth.oidc.";
    private static final Logger log = LoggerFactory.getLogger(OidcSettings.class);

    private OidcSettings() {}

    public static boolean isSet(Environment environment, OidcProperties properties) {
        return issuer(environment, properties) != null;
    }

    /** The settings that must agree on all nodes; empty without an issuer. */
    public static Map<String, Object> common(Environment environment, OidcProperties properties) {
        String issuer = issuer(environment, properties);
        return issuer == null
                ? Map.of()
                : Map.of(
                        "cairn.auth.oidc.public-url",
                        properties.publicUrl().trim(),
                        "cairn.auth.oidc.issuer",
                        issuer,
                        "cairn.auth.oidc.audiences",
                        new TreeSet<>(audiences(environment, properties)),
                        "cairn.auth.oidc.rules",
                        rules(environment, properties));
    }

    private static Set<String> audiences(Environment environment, OidcProperties properties) {
        String clientId = clientId(environment, properties);
        return !properties.audiences().isEmpty() || clientId == null ? properties.audiences() : Set.of(clientId);
    }

    private static @Nullable String issuer(Environment environment, OidcProperties properties) {
        return properties.issuer().isBlank()
                ? NacosSettings.first(environment, NACOS + "issuer-uri")
                : properties.issuer().trim();
    }

    /**
     * @param home for relative names of files
     * @throws CairnException {@code INVALID_PARAMETER} for a wrong setting
     */
    public static IssuerSettings read(Environment environment, OidcProperties properties, Path home) {
        String issuer = issuer(environment, properties);
        if (issuer == null) {
            throw NacosSettings.refusal(CAIRN + "issuer: none (expected: the URL of the issuer)");
        }
        String username = properties.usernameClaim().isBlank()
                ? NacosSettings.first(environment, NACOS + "username-claim")
                : properties.usernameClaim().trim();
        Duration keyLifetime = Duration.ofSeconds(NacosSettings.number(
                environment,
                (int) properties.keyLifetime().toSeconds(),
                60,
                Integer.MAX_VALUE,
                NACOS + "jwks-cache-ttl-seconds"));
        String trusted = properties.trustedCertificates().trim();
        try {
            IssuerSettings settings = new IssuerSettings(
                    issuer,
                    audiences(environment, properties),
                    properties.algorithms(),
                    username == null ? "preferred_username" : username,
                    properties.clockSkew(),
                    keyLifetime,
                    trusted.isEmpty() ? null : home.resolve(trusted).normalize(),
                    rules(environment, properties));
            explain(environment, settings);
            return settings;
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(CAIRN + e.getMessage());
        }
    }

    /** Whether people log in at the issuer; Nacos has no setting for the address of its console. */
    public static boolean isLoginSet(Environment environment, OidcProperties properties) {
        if (!properties.publicUrl().isBlank()) {
            return true;
        }
        log.info(
                "People do not log in at the issuer (for this, set {}public-url to the address of the console)", CAIRN);
        return false;
    }

    /**
     * @param home for a relative name of the file
     * @throws CairnException {@code INVALID_PARAMETER} for a wrong setting
     */
    public static LoginSettings readLogin(Environment environment, OidcProperties properties, Path home) {
        String clientId = clientId(environment, properties);
        if (clientId == null) {
            throw NacosSettings.refusal(CAIRN + "client-id: none (expected: the id of this server at the issuer)");
        }
        String scopes = NacosSettings.first(environment, NACOS + "scope");
        Set<String> asked = !properties.scopes().isEmpty()
                ? properties.scopes()
                : Set.of((scopes == null ? "openid profile email" : scopes)
                        .trim()
                        .split("[ ,]+"));
        try {
            LoginSettings settings = new LoginSettings(
                    properties.publicUrl().trim(),
                    clientId,
                    secret(environment, properties, home),
                    asked,
                    properties.userInfo(),
                    properties.loginLabel().trim());
            log.info("People log in with a password, or at the issuer from {}", settings);
            return settings;
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(CAIRN + e.getMessage());
        }
    }

    private static @Nullable String clientId(Environment environment, OidcProperties properties) {
        return properties.clientId().isBlank()
                ? NacosSettings.first(environment, NACOS + "client-id")
                : properties.clientId().trim();
    }

    private static @Nullable String secret(Environment environment, OidcProperties properties, Path home) {
        String name = properties.clientSecretFile().trim();
        if (name.isEmpty()) {
            return properties.clientSecret().isBlank()
                    ? NacosSettings.first(environment, NACOS + "client-secret")
                    : properties.clientSecret().trim();
        }
        Path file = home.resolve(name).normalize();
        try (Stream<String> lines = Files.lines(file)) {
            String first = lines.findFirst().orElse("").trim();
            if (first.isEmpty()) {
                throw new IllegalArgumentException("client-secret-file: " + file + " is empty (expected: the secret)");
            }
            return first;
        } catch (IOException | UncheckedIOException e) {
            throw new IllegalArgumentException("client-secret-file: " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** The administrators' role of Nacos's settings is one more rule, if it is set. */
    private static List<String> rules(Environment environment, OidcProperties properties) {
        List<String> rules = new ArrayList<>(properties.rules());
        String admin = NacosSettings.first(environment, NACOS + "admin-role");
        if (admin != null) {
            String claim = NacosSettings.first(environment, NACOS + "roles-claim");
            rules.add((claim == null ? "roles" : claim) + '=' + admin + " -> " + Accounts.ADMIN_ROLE);
        }
        return rules;
    }

    private static void explain(Environment environment, IssuerSettings settings) {
        String method = NacosSettings.first(environment, NACOS + "token-validation-method");
        if (method != null && !method.equalsIgnoreCase("jwt")) {
            throw NacosSettings.refusal(NACOS + "token-validation-method: " + method
                    + " (expected: jwt; the server verifies tokens with the keys of the issuer)");
        }
        if (!NacosSettings.flag(environment, true, NACOS + "strict-audience-validation")) {
            log.warn("{}strict-audience-validation=false has no effect: the audience is always checked", NACOS);
        }
        if (NacosSettings.first(environment, NACOS + "authorization-endpoint") != null) {
            log.warn("{}authorization-endpoint has no effect: {}rules and the roles decide", NACOS, CAIRN);
        }
        log.info(
                "Callers log in as local users or with tokens of {} (audiences {}, {})",
                settings.issuer(),
                settings.audiences(),
                settings.rules().isEmpty()
                        ? "no rule in " + CAIRN + "rules, so these tokens have no right"
                        : "rules " + settings.rules());
    }
}

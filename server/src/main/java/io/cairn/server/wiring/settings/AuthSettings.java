package io.cairn.server.wiring.settings;

import io.cairn.server.auth.ApiKind;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/**
 * Which callers must log in, with Nacos's settings for that.
 *
 * @param closed the callers that must; always all where other machines can reach the server, unless expressly disabled
 * @param rehearsal whether the rights of clients that need no login are checked, and the results counted
 * @param secret signs tokens; null to use the server's own
 * @param tokenTimeToLive of users' tokens
 */
public record AuthSettings(Set<ApiKind> closed, boolean rehearsal, byte @Nullable [] secret, Duration tokenTimeToLive) {

    static final String ENABLED = "nacos.core.auth.enabled";

    static final String TYPE = "nacos.core.auth.system.type";
    private static final String ADMIN = "nacos.core.auth.admin.enabled";
    private static final String CONSOLE = "nacos.core.auth.console.enabled";
    private static final String REHEARSAL = "cairn.auth.rehearsal";
    private static final String OIDC = "oidc";
    private static final String ALLOW_ANONYMOUS = "cairn.auth.allow-anonymous-network";
    private static final String[] SECRET = {
        "nacos.core.auth.plugin.nacos.token.secret.key", "nacos.core.auth.default.token.secret.key", "NACOS_AUTH_TOKEN"
    };
    private static final List<String> TRUSTED_SHORTCUTS = List.of(
            "nacos.core.auth.server.identity.key",
            "nacos.core.auth.server.identity.value",
            "nacos.core.auth.enable.userAgentAuthWhite",
            "NACOS_AUTH_IDENTITY_KEY",
            "NACOS_AUTH_IDENTITY_VALUE");
    /** The beginnings of secrets in files and examples of old installations. */
    private static final List<String> KNOWN_SECRETS = List.of("SecretKey01234567", "ThisIsMyCustomSecretKey");

    private static final int MIN_SECRET_BYTES = 32;
    private static final Logger log = LoggerFactory.getLogger(AuthSettings.class);

    public AuthSettings {
        closed = Set.copyOf(closed);
    }

    /** Whether any callers must log in. */
    public boolean enabled() {
        return !closed.isEmpty();
    }

    /** Whether some callers must log in, and others need not. */
    boolean isStaged() {
        return enabled() && closed.size() < ApiKind.values().length;
    }

    static boolean isAskedFor(Environment environment) {
        return NacosSettings.flag(environment, false, ENABLED, "NACOS_AUTH_ENABLE");
    }

    public static AuthSettings read(Environment environment, InetAddress address) {
        boolean wide = !address.isLoopbackAddress();
        boolean openly = NacosSettings.flag(environment, false, ALLOW_ANONYMOUS);
        Set<ApiKind> closed = closed(environment, wide && !openly);
        boolean rehearsal = NacosSettings.flag(environment, false, REHEARSAL);
        for (String shortcut : TRUSTED_SHORTCUTS) {
            if (NacosSettings.first(environment, shortcut) != null) {
                log.warn("{} is ignored: it would let callers in without a login", shortcut);
            }
        }
        if (closed.isEmpty()) {
            if (rehearsal) {
                throw NacosSettings.refusal(
                        REHEARSAL + ": true, but nobody logs in, so there are no rights to check (expected: " + ADMIN
                                + "=true beside it)");
            }
            if (wide) {
                log.warn(
                        "EVERY CALLER THAT REACHES {} MAY READ AND CHANGE EVERYTHING: authentication is off on a network address"
                                + " because {}=true",
                        address.getHostAddress(),
                        ALLOW_ANONYMOUS);
            }
            return new AuthSettings(closed, false, null, Duration.ofHours(5));
        }
        report(closed, rehearsal, wide ? address.getHostAddress() : null);
        String type = NacosSettings.first(environment, TYPE);
        if (type != null && !type.equals("nacos") && !type.equals(OIDC) && !type.equals(LdapSettings.TYPE)) {
            throw NacosSettings.refusal(TYPE + ": '" + type
                    + "': this version has local users, an OpenID Connect issuer and an LDAP directory (expected: nacos,"
                    + " oidc or ldap)");
        }
        if (OIDC.equals(type)) {
            log.info(
                    "nacos.core.auth.system.type=oidc does not switch off local users: they log in beside the issuer's");
        }
        return new AuthSettings(
                closed,
                rehearsal && !closed.contains(ApiKind.CLIENT),
                secret(environment),
                Duration.ofSeconds(NacosSettings.number(
                        environment,
                        18_000,
                        1,
                        Integer.MAX_VALUE,
                        "nacos.core.auth.plugin.nacos.token.expire.seconds",
                        "nacos.core.auth.default.token.expire.seconds")));
    }

    /** @param all whether no caller can be left out */
    private static Set<ApiKind> closed(Environment environment, boolean all) {
        if (all) {
            return EnumSet.allOf(ApiKind.class);
        }
        Set<ApiKind> closed = EnumSet.noneOf(ApiKind.class);
        boolean clients = isAskedFor(environment);
        boolean administration = NacosSettings.flag(environment, clients, ADMIN);
        if (clients) {
            closed.add(ApiKind.CLIENT);
        }
        if (administration) {
            closed.add(ApiKind.ADMINISTRATION);
        }
        if (NacosSettings.flag(environment, administration, CONSOLE)) {
            closed.add(ApiKind.CONSOLE);
        }
        return closed;
    }

    /** @param network the address that other machines can reach, or null */
    private static void report(Set<ApiKind> closed, boolean rehearsal, @Nullable String network) {
        if (closed.contains(ApiKind.CLIENT)) {
            if (rehearsal) {
                log.info("{}=true has no effect, because clients must log in ({}=true)", REHEARSAL, ENABLED);
            }
        } else if (network != null) {
            log.warn(
                    "EVERY CALLER THAT REACHES {} MAY READ AND CHANGE CONFIGURATIONS AND SERVICES AS A CLIENT: clients need no"
                            + " login ({}=false with {}=true). 'bin/cairn clients --without-login' lists them",
                    network,
                    ENABLED,
                    ALLOW_ANONYMOUS);
        } else {
            log.info(
                    "Clients need no login ({}=false); 'bin/cairn clients --without-login' lists those without one",
                    ENABLED);
        }
        if (!closed.contains(ApiKind.ADMINISTRATION)) {
            log.warn("Administration needs no login: {}=false", ADMIN);
        }
        if (!closed.contains(ApiKind.CONSOLE)) {
            log.warn("The paths of the console need no login: {}=false", CONSOLE);
        }
    }

    private static byte @Nullable [] secret(Environment environment) {
        String text = NacosSettings.first(environment, SECRET);
        if (text == null) {
            return null;
        }
        String key = NacosSettings.firstKey(environment, SECRET);
        byte[] secret;
        try {
            secret = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw NacosSettings.refusal(key + ": is not Base64 (expected: at least " + MIN_SECRET_BYTES
                    + " random bytes in Base64; or take the line out, and the server makes a secret)");
        }
        String decoded = new String(secret, StandardCharsets.ISO_8859_1);
        if (KNOWN_SECRETS.stream().anyMatch(known -> decoded.startsWith(known) || text.startsWith(known))
                || decoded.chars().distinct().count() < 8) {
            throw NacosSettings.refusal(key + ": is a publicly known secret"
                    + " (take the line out, and the server makes one; users must log in again)");
        }
        if (secret.length < MIN_SECRET_BYTES) {
            throw NacosSettings.refusal(key + ": " + secret.length + " bytes (expected: at least " + MIN_SECRET_BYTES
                    + "; or take the line out, and the server makes a secret)");
        }
        return secret;
    }

    @Override
    public String toString() {
        return "AuthSettings" + closed;
    }
}

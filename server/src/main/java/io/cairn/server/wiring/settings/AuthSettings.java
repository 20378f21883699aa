package io.cairn.server.wiring.settings;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/**
 * Whether callers must log in, with Nacos's settings for that.
 *
 * @param enabled always where other machines can reach the server, unless expressly disabled
 * @param secret signs tokens; null to use the server's own
 * @param tokenTimeToLive of users' tokens
 */
public record AuthSettings(boolean enabled, byte @Nullable [] secret, Duration tokenTimeToLive) {

    static final String ENABLED = "nacos.core.auth.enabled";

    static final String TYPE = "nacos.core.auth.system.type";

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

    static boolean isAskedFor(Environment environment) {
        return NacosSettings.flag(environment, false, ENABLED, "NACOS_AUTH_ENABLE");
    }

    public static AuthSettings read(Environment environment, InetAddress address) {
        boolean wide = !address.isLoopbackAddress();
        boolean openly = NacosSettings.flag(environment, false, ALLOW_ANONYMOUS);
        boolean enabled = isAskedFor(environment) || wide && !openly;
        for (String shortcut : TRUSTED_SHORTCUTS) {
            if (NacosSettings.first(environment, shortcut) != null) {
                log.warn("{} is ignored: it would let callers in without a login", shortcut);
            }
        }
        if (!enabled) {
            if (wide) {
                log.warn(
                        "EVERY CALLER THAT REACHES {} MAY READ AND CHANGE EVERYTHING: authentication is off on a network address"
                                + " because {}=true",
                        address.getHostAddress(),
                        ALLOW_ANONYMOUS);
            }
            return new AuthSettings(false, null, Duration.ofHours(5));
        }
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
                true,
                secret(environment),
                Duration.ofSeconds(NacosSettings.number(
                        environment,
                        18_000,
                        1,
                        Integer.MAX_VALUE,
                        "nacos.core.auth.plugin.nacos.token.expire.seconds",
                        "nacos.core.auth.default.token.expire.seconds")));
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
        return "AuthSettings[" + (enabled ? "on" : "off") + ']';
    }
}

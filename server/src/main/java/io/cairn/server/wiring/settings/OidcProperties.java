package io.cairn.server.wiring.settings;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * An OpenID Connect issuer whose tokens identify callers.
 *
 * @param issuer URL of the issuer as in its tokens; empty for none
 * @param audiences of tokens for this server; empty for {@code nacos.core.auth.plugin.oidc.client-id}
 * @param algorithms accepted signatures of tokens
 * @param usernameClaim a name for people, shown beside the subject
 * @param rules roles by claims, as {@code groups=platform -> ROLE_ADMIN}
 * @param clockSkew by which the clock of the issuer may differ
 * @param keyLifetime after which the keys are read again
 * @param trustedCertificates PEM file; empty for the certificates of the Java runtime
 * @param publicUrl of the console in browsers, with the context path; empty without logins of people
 * @param clientId of this server at the issuer; empty for {@code nacos.core.auth.plugin.oidc.client-id}
 * @param clientSecret empty for a public client
 * @param scopes that a login asks for
 * @param userInfo whether a login asks the issuer's user info for claims that its token lacks, such as groups
 * @param loginLabel text of the button in the console; empty for the usual one
 */
@ConfigurationProperties("cairn.auth.oidc")
public record OidcProperties(
        @DefaultValue("") String issuer,
        @DefaultValue Set<String> audiences,

        @DefaultValue({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"})
        Set<String> algorithms,

        @DefaultValue("") String usernameClaim,
        @DefaultValue List<String> rules,
        @DefaultValue("30s") Duration clockSkew,
        @DefaultValue("1h") Duration keyLifetime,
        @DefaultValue("") String trustedCertificates,
        @DefaultValue("") String publicUrl,
        @DefaultValue("") String clientId,
        @DefaultValue("") String clientSecret,
        @DefaultValue("") String clientSecretFile,
        @DefaultValue Set<String> scopes,
        @DefaultValue("false") boolean userInfo,
        @DefaultValue("") String loginLabel) {

    public OidcProperties {
        CairnProperties.atLeast("auth.oidc.clock-skew", clockSkew, Duration.ZERO);
        CairnProperties.atLeast("auth.oidc.key-lifetime", keyLifetime, Duration.ofMinutes(1));
    }
}

package io.cairn.server.wiring;

import io.cairn.server.attention.FindingSource;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.IssuerLogin;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.KeyRotation;
import io.cairn.server.auth.issuer.CodeFlow;
import io.cairn.server.auth.issuer.LoginSettings;
import io.cairn.server.auth.issuer.OidcIssuer;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v1.OidcEndpoints;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.wiring.settings.OidcProperties;
import io.cairn.server.wiring.settings.OidcSettings;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(OidcProperties.class)
class IssuerConfiguration {

    /** Without an issuer in the settings, no class of {@code auth.issuer} is loaded. */
    @Bean(destroyMethod = "close")
    IssuerTokens issuerTokens(
            AccessPolicy policy,
            Environment environment,
            OidcProperties properties,
            Timer timer,
            Clock clock,
            MeterRegistry meters) {
        if (!policy.isEnabled() || !OidcSettings.isSet(environment, properties)) {
            return IssuerTokens.NONE;
        }
        OidcIssuer issuer = new OidcIssuer(
                OidcSettings.read(environment, properties, home(environment)), timer, clock, System::nanoTime, meters);
        issuer.start();
        return issuer;
    }

    /** Without a login of people in the settings, its classes are not loaded. */
    @Bean
    IssuerLogin issuerLogin(
            IssuerTokens issuer,
            Environment environment,
            OidcProperties properties,
            Authenticator authenticator,
            KeyRotation keys,
            Clock clock,
            MeterRegistry meters) {
        if (issuer == IssuerTokens.NONE || !OidcSettings.isLoginSet(environment, properties)) {
            return IssuerLogin.NONE;
        }
        LoginSettings settings = OidcSettings.readLogin(environment, properties, home(environment));
        return new CodeFlow((OidcIssuer) issuer, settings, authenticator, keys::present, clock, meters);
    }

    @Bean
    HttpRoutes issuerLoginRoutes(IssuerLogin login, Authenticator authenticator, Clock clock) {
        return HttpRoutes.of(new OidcEndpoints(login, authenticator, clock).routes());
    }

    private static Path home(Environment environment) {
        return Path.of(environment.getProperty("cairn.home", ""));
    }

    @Bean
    FindingSource issuerFindings(IssuerTokens issuer, Authenticator authenticator, MeterRegistry meters) {
        FunctionCounter.builder(MeterNames.LOGINS, authenticator, Authenticator::rightLogins)
                .tag("source", "local")
                .register(meters);
        FunctionCounter.builder(MeterNames.LOGINS_FAILED, authenticator, Authenticator::wrongLogins)
                .tag("reason", "wrong")
                .register(meters);
        FunctionCounter.builder(MeterNames.LOGINS_FAILED, authenticator, Authenticator::lockedLogins)
                .tag("reason", "locked")
                .register(meters);
        return namespace -> issuer.findings();
    }
}

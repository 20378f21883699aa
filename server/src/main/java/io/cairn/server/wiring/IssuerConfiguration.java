package io.cairn.server.wiring;

import io.cairn.server.attention.FindingSource;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.issuer.OidcIssuer;
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
                OidcSettings.read(environment, properties, Path.of(environment.getProperty("cairn.home", ""))),
                timer,
                clock,
                System::nanoTime,
                meters);
        issuer.start();
        return issuer;
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

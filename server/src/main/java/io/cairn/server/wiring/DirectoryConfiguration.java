package io.cairn.server.wiring;

import io.cairn.server.attention.FindingSource;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Directory;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.directory.LdapDirectory;
import io.cairn.server.wiring.settings.LdapProperties;
import io.cairn.server.wiring.settings.LdapSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LdapProperties.class)
class DirectoryConfiguration {

    /** The sources of callers beside this server's users. */
    record Outside(IssuerTokens issuer, Directory directory) {}

    /** Without a directory in the settings, no class of {@code auth.directory} is loaded. */
    @Bean(destroyMethod = "close")
    Directory directory(
            AccessPolicy policy,
            Environment environment,
            LdapProperties properties,
            Timer timer,
            Clock clock,
            MeterRegistry meters) {
        if (!policy.isEnabled() || !LdapSettings.isSet(environment)) {
            return Directory.NONE;
        }
        LdapDirectory directory = new LdapDirectory(
                LdapSettings.read(environment, properties, Path.of(environment.getProperty("cairn.home", ""))),
                timer,
                clock,
                System::nanoTime,
                meters);
        directory.start();
        return directory;
    }

    @Bean
    Outside outside(IssuerTokens issuer, Directory directory) {
        return new Outside(issuer, directory);
    }

    @Bean
    FindingSource directoryFindings(Directory directory) {
        return namespace -> directory.findings();
    }
}

package io.cairn.server.wiring;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.naming.NamingService;
import io.cairn.server.push.PushBudget;
import io.cairn.server.xds.XdsAccess;
import io.cairn.server.xds.XdsSettings;
import io.cairn.server.xds.XdsStreams;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds the mesh edge (xDS) out of its parts. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(XdsProperties.class)
class MeshConfiguration {

    @Bean
    XdsAccess xdsAccess(AccessPolicy policy, Authenticator authenticator, Accounts accounts, Clock clock) {
        return new XdsAccess(policy, authenticator, accounts, clock);
    }

    @Bean(destroyMethod = "close")
    XdsStreams xdsStreams(
            XdsProperties properties,
            NamingService naming,
            XdsAccess access,
            ServerPhase phase,
            PushBudget budget,
            Clock clock,
            MeterRegistry meters) {
        XdsSettings settings =
                new XdsSettings(properties.group().trim(), properties.maxClusters(), properties.localityKeys());
        XdsStreams streams = new XdsStreams(settings, naming, access, phase::isReady, budget, clock, meters);
        naming.follow(streams.follower());
        return streams;
    }
}

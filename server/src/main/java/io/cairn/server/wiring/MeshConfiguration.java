package io.cairn.server.wiring;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v3.MeshCheckEndpoint;
import io.cairn.server.http.v3.MeshEndpoints;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.push.PushBudget;
import io.cairn.server.wiring.lifecycle.ServerPhase;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.XdsProperties;
import io.cairn.server.xds.XdsAccess;
import io.cairn.server.xds.XdsSettings;
import io.cairn.server.xds.XdsStreams;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(XdsProperties.class)
class MeshConfiguration {

    @Bean
    XdsAccess xdsAccess(
            AccessPolicy policy,
            Authenticator authenticator,
            Accounts accounts,
            ClientsWithoutLogin clients,
            ServerPhase phase,
            Clock clock) {
        return new XdsAccess(policy, authenticator, accounts, clients, phase::isReady, clock);
    }

    @Bean
    XdsSettings xdsSettings(XdsProperties properties, ServerLimits limits, NacosSettings settings) {
        return new XdsSettings(
                limits.meshClusters(),
                properties.maxViews(),
                "cairn@" + addressOf(settings),
                properties.localityKeys());
    }

    @Bean(destroyMethod = "close")
    XdsStreams xdsStreams(
            XdsSettings settings,
            RegistryParts naming,
            StoredResources stored,
            XdsAccess access,
            PushBudget budget,
            Clock clock,
            MeterRegistry meters) {
        XdsStreams streams = new XdsStreams(settings, naming.reads(), stored, access, budget, clock, meters);
        naming.registry().follow(streams.follower());
        naming.registry().onRelabel(streams::recheck);
        return streams;
    }

    @Bean
    MeshReads meshReads(XdsStreams streams, NacosSettings settings) {
        return streams.reads(addressOf(settings));
    }

    private static String addressOf(NacosSettings settings) {
        return settings.serverIp() + ":" + settings.address().getPort();
    }

    @Bean
    HttpRoutes meshRoutes(
            MeshReads mesh,
            StoredMeshConfiguration.EnvoyModule module,
            MeshCheckEndpoint check,
            ClusterReads nodes,
            ReadPool queryReads,
            ContainerErrors errors) {
        return HttpRoutes.of(
                new MeshEndpoints(mesh, module.resources(), nodes, queryReads, errors).adminRoutes(),
                check.adminRoutes());
    }
}

package io.cairn.server.wiring;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.core.Finding;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.v3.MeshCheckEndpoint;
import io.cairn.server.http.v3.MeshEndpoints;
import io.cairn.server.mesh.MeshProxy;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.NamingService;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.push.PushBudget;
import io.cairn.server.rpc.WatchRevocation;
import io.cairn.server.xds.XdsAccess;
import io.cairn.server.xds.XdsSettings;
import io.cairn.server.xds.XdsStreams;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds the mesh edge (xDS) out of its parts. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(XdsProperties.class)
class MeshConfiguration {

    private static final int MOST_FINDINGS = 20;

    /** The endpoints about the mesh. */
    record MeshRoutes(List<HttpRoute> routes) {}

    @Bean
    XdsAccess xdsAccess(AccessPolicy policy, Authenticator authenticator, Accounts accounts, Clock clock) {
        return new XdsAccess(policy, authenticator, accounts, clock);
    }

    @Bean(destroyMethod = "close")
    XdsStreams xdsStreams(
            XdsProperties properties,
            NamingService naming,
            StoredResources stored,
            XdsAccess access,
            ServerPhase phase,
            PushBudget budget,
            Clock clock,
            WatchRevocation revocation,
            MeterRegistry meters) {
        XdsSettings settings =
                new XdsSettings(properties.maxClusters(), properties.maxViews(), properties.localityKeys());
        XdsStreams streams = new XdsStreams(settings, naming, stored, access, phase::isReady, budget, clock, meters);
        naming.follow(streams.follower());
        naming.onRelabel(streams::recheck);
        revocation.checkAlso(streams::recheck);
        return streams;
    }

    /** The clients that refuse what they are sent, or do not answer. */
    static List<Finding> findings(List<MeshProxy> proxies, Namespace namespace) {
        List<Finding> found = new ArrayList<>();
        for (MeshProxy proxy : proxies) {
            if (proxy.namespaceId().equals(namespace.id())) {
                for (MeshProxy.MeshProxyType type : proxy.types()) {
                    if (type.state().equals("refusing")) {
                        found.add(finding(
                                Finding.Kind.MESH_PROXY_REFUSES, proxy, type, type.type() + ": " + type.error()));
                    } else if (type.state().equals("waiting")) {
                        found.add(finding(Finding.Kind.MESH_PROXY_WAITS, proxy, type, type.type()));
                    }
                }
            }
        }
        return found.stream()
                .sorted(Comparator.comparingLong(Finding::since))
                .limit(MOST_FINDINGS)
                .toList();
    }

    /** The services with settings for the mesh that cannot be read. */
    static List<Finding> serviceFindings(List<MeshReads.ServiceProblem> problems) {
        return problems.stream()
                .limit(MOST_FINDINGS)
                .map(one -> new Finding(
                        Finding.Kind.MESH_SERVICE_SETTING,
                        false,
                        one.service().name(),
                        one.service().group(),
                        one.problem(),
                        0,
                        0))
                .toList();
    }

    private static Finding finding(Finding.Kind kind, MeshProxy proxy, MeshProxy.MeshProxyType type, String detail) {
        return new Finding(kind, false, proxy.nodeId(), proxy.namespaceId(), detail, 0, 0, type.since(), "");
    }

    @Bean
    MeshReads meshReads(XdsStreams streams, NacosSettings settings) {
        return streams.reads(settings.serverIp() + ":" + settings.address().getPort());
    }

    @Bean
    MeshRoutes meshRoutes(
            MeshReads mesh,
            StoredMeshConfiguration.EnvoyModule module,
            MeshCheckEndpoint check,
            ClusterReads nodes,
            ReadPool queryReads,
            Clock clock) {
        ContainerErrors errors = new ContainerErrors(clock);
        List<HttpRoute> routes =
                new ArrayList<>(new MeshEndpoints(mesh, module.resources(), nodes, queryReads, errors).adminRoutes());
        routes.addAll(check.adminRoutes());
        return new MeshRoutes(routes);
    }
}

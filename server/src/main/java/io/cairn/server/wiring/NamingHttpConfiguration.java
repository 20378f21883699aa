package io.cairn.server.wiring;

import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.StateActions;
import io.cairn.server.http.naming.ClientReads;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.MaintenanceMode;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.PrometheusTargets;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.SubscriberReads;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.v1.NamingEndpoints;
import io.cairn.server.http.v1.V1NamingErrors;
import io.cairn.server.http.v2.HealthEndpoints;
import io.cairn.server.http.v2.NamingV2;
import io.cairn.server.http.v3.NamingV3;
import io.cairn.server.http.v3.StateEndpoints;
import io.cairn.server.naming.ClientOwnership;
import io.cairn.server.naming.ClientRouting;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.naming.Switches;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.udp.UdpSubscribers;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds what the versions of the HTTP API offer of the registry. */
@Configuration(proxyBeanMethods = false)
class NamingHttpConfiguration {

    @Bean
    ClientOwnership clientOwnership(NacosSettings settings, ClusterMembers members) {
        return new ClientOwnership(
                members.isCluster()
                        ? members.self().address()
                        : settings.serverIp() + ':' + settings.address().getPort());
    }

    @Bean
    InstanceActions instanceActions(NamingService naming, StoredNaming stored, ClientRouting routing) {
        return new InstanceActions(naming, stored, routing);
    }

    @Bean
    SubscriberReads subscriberReads(ServiceSubscriptions subscriptions, ClusterReads nodes, ReadPool queryReads) {
        return new SubscriberReads(subscriptions, nodes, queryReads);
    }

    @Bean
    ServiceActions serviceActions(
            NamingService naming, StoredNaming stored, SubscriberReads subscribers, ReadPool queryReads) {
        return new ServiceActions(naming, stored, subscribers, queryReads);
    }

    @Bean
    RegistryMetrics registryMetrics(
            NamingService naming,
            ServiceSubscriptions subscriptions,
            NamingClients clients,
            ClientOwnership ownership,
            ReadPool queryReads) {
        return new RegistryMetrics(naming, subscriptions, clients, ownership, queryReads);
    }

    @Bean
    MaintenanceMode namingGate(Switches switches) {
        return new MaintenanceMode(switches);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    UdpSubscribers udpSubscribers(
            NamingService naming,
            ServicePusher pusher,
            ServiceSubscriptions subscriptions,
            Timer timer,
            EventLoops loops,
            NacosSettings settings,
            CairnProperties properties,
            Clock clock) {
        return new UdpSubscribers(
                naming,
                pusher,
                subscriptions,
                timer,
                UdpSubscribers.Limits.USUAL,
                loops.workers(),
                loops::newDatagramChannel,
                settings.address().getAddress(),
                properties.naming().udpToAnyAddress(),
                clock);
    }

    @Bean
    NamingEndpoints v1Naming(
            NamingService naming,
            StoredNaming stored,
            InstanceActions instances,
            ServiceActions services,
            RegistryMetrics metrics,
            MaintenanceMode maintenance,
            UdpSubscribers udp,
            Switches switches,
            ServicePusher pusher,
            ClientOwnership ownership,
            LoggingSystem logging,
            WorkPools pools,
            ClusterNodes nodes,
            Clock clock) {
        // Off the thread that stores: everything may be a lot.
        switches.whenPushResumes(() -> pools.endpoints().execute(pusher::bringAll));
        return new NamingEndpoints(
                naming,
                stored,
                instances,
                services,
                metrics,
                udp,
                pusher.meters(),
                ownership,
                (logger, level) -> logging.setLogLevel(logger, LogLevel.valueOf(level.toUpperCase(Locale.ROOT))),
                nodes,
                maintenance,
                new V1NamingErrors(new ContainerErrors(clock)));
    }

    @Bean
    NamingClients namingClients(
            NamingService naming,
            ServiceSubscriptions subscriptions,
            ConnectionRegistry connections,
            UdpSubscribers udp) {
        return new NamingClients(naming, subscriptions, connections, udp);
    }

    @Bean
    ClientReads clientReads(
            NamingClients clients, SubscriberReads subscribers, ClusterReads nodes, ReadPool queryReads) {
        return new ClientReads(clients, subscribers, nodes, queryReads);
    }

    @Bean
    NamingRoutes namingRoutes(
            NacosSettings settings,
            NamingService naming,
            StoredNaming stored,
            InstanceActions instances,
            ServiceActions services,
            ClientReads clients,
            RegistryMetrics metrics,
            MaintenanceMode maintenance,
            UdpSubscribers udp,
            ClientOwnership ownership,
            LoggingSystem logging,
            StateActions serverState,
            WorkPools pools,
            Clock clock) {
        ContainerErrors errors = new ContainerErrors(clock);
        NamingV2 version2 = new NamingV2(naming, stored, instances, services, clients, metrics, udp, maintenance);
        NamingV3 version3 = new NamingV3(
                naming,
                stored,
                instances,
                services,
                clients,
                metrics,
                maintenance,
                ownership,
                new PartLogLevels(logging, "io.cairn.server.naming"),
                errors);
        StateEndpoints state = new StateEndpoints(serverState, errors);
        List<HttpRoute> routes = new ArrayList<>();
        routes.addAll(version2.routes());
        routes.addAll(new HealthEndpoints(serverState).routes());
        routes.addAll(version3.routes());
        routes.addAll(state.adminRoutes());
        List<HttpRoute> console = new ArrayList<>();
        console.addAll(version3.consoleRoutes());
        console.addAll(state.consoleRoutes());
        routes.addAll(console);
        if (settings.naming().prometheusTargets()) {
            routes.addAll(new PrometheusTargets(naming, errors, pools.queries()).routes());
        }
        if (!settings.contextPath().isEmpty()) {
            // The console port of Nacos has no context path.
            console.forEach(route -> routes.add(route.besideContextPath()));
        }
        return new NamingRoutes(routes);
    }
}

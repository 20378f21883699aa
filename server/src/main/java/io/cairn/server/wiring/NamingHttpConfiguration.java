package io.cairn.server.wiring;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.naming.DrainAnswer;
import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.naming.AddressLists;
import io.cairn.server.http.naming.ClientReads;
import io.cairn.server.http.naming.DrainActions;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.MaintenanceMode;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.PrometheusTargets;
import io.cairn.server.http.naming.RegistryActions;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.naming.ServiceTimeline;
import io.cairn.server.http.naming.SubscriberReads;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v1.NamingEndpoints;
import io.cairn.server.http.v1.V1NamingErrors;
import io.cairn.server.http.v2.NamingV2;
import io.cairn.server.http.v3.NamingV3;
import io.cairn.server.naming.group.ClientRouting;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.stored.Drains;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.rpc.naming.InstanceDrainHandler;
import io.cairn.server.subscription.HttpReaders;
import io.cairn.server.subscription.LateSubscriber;
import io.cairn.server.subscription.ListAcknowledgements;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.SubscriberAcknowledgements;
import io.cairn.server.subscription.udp.UdpSubscribers;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.xds.XdsStreams;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
    InstanceActions instanceActions(RegistryParts naming, StoredNaming stored, ClientRouting routing) {
        return new InstanceActions(naming.reads(), stored, routing);
    }

    @Bean
    ListAcknowledgements subscriberAcknowledgements(
            ServicePusher pusher, ServiceSubscriptions subscriptions, Timer timer) {
        return new SubscriberAcknowledgements(pusher, subscriptions, timer);
    }

    @Bean
    ListAcknowledgements meshAcknowledgements(XdsStreams mesh, Timer timer) {
        return mesh.acknowledgements(timer);
    }

    @Bean
    HttpReaders httpReaders(RegistryParts naming, Timer timer) {
        return new HttpReaders(() -> naming.switches().cacheMillis(), timer, System::nanoTime);
    }

    @Bean
    DrainActions drainActions(
            RegistryParts naming,
            Drains drains,
            List<ListAcknowledgements> kinds,
            ClientOwnership ownership,
            ClusterReads nodes,
            ReadPool queryReads,
            MeterRegistry meters) {
        return new DrainActions(
                ownership.self(), naming.reads(), drains, ListAcknowledgements.of(kinds), nodes, queryReads, meters);
    }

    /** For clients that drain over their connection. */
    @Bean
    MessageHandlers drainHandlers(DrainActions actions) {
        return new MessageHandlers(List.of(new InstanceDrainHandler((service, instance, lasting, wait, force, by) ->
                actions.drain(service, instance, lasting, wait, force, by).thenApply(gathered -> {
                    DrainActions.Drained drained = gathered.rows().get(0);
                    return new DrainAnswer(
                            new AnswerFields(),
                            drained.acknowledged(),
                            drained.subscribers(),
                            drained.waiting().stream()
                                    .map(NamingHttpConfiguration::waiting)
                                    .toList(),
                            gathered.silent().addresses());
                }))));
    }

    private static DrainAnswer.Waiting waiting(LateSubscriber late) {
        return new DrainAnswer.Waiting(
                late.kind(),
                late.clientId(),
                late.port() == 0 ? late.ip() : late.ip() + ':' + late.port(),
                late.app(),
                late.agent(),
                late.node(),
                late.reason());
    }

    @Bean
    SubscriberReads subscriberReads(ServiceSubscriptions subscriptions, ClusterReads nodes, ReadPool queryReads) {
        return new SubscriberReads(subscriptions, nodes, queryReads);
    }

    @Bean
    ServiceTimeline serviceTimeline(
            RegistryParts naming, Drains drains, ClientOwnership ownership, ClusterReads nodes, ReadPool queryReads) {
        return new ServiceTimeline(ownership.self(), naming.reads(), drains, nodes, queryReads);
    }

    @Bean
    ServiceActions serviceActions(
            RegistryParts naming,
            StoredNaming stored,
            SubscriberReads subscribers,
            ServiceTimeline timeline,
            ReadPool queryReads) {
        return new ServiceActions(naming.reads(), stored, subscribers, timeline, queryReads);
    }

    @Bean
    RegistryMetrics registryMetrics(
            RegistryParts naming,
            ServiceSubscriptions subscriptions,
            NamingClients clients,
            ClientOwnership ownership,
            ReadPool queryReads) {
        return new RegistryMetrics(naming.reads(), naming.switches(), subscriptions, clients, ownership, queryReads);
    }

    @Bean
    MaintenanceMode maintenanceMode(Switches switches) {
        return new MaintenanceMode(switches);
    }

    @Bean
    UdpSubscribers.Socket udpSocket(EventLoops loops, NacosSettings settings, CairnProperties properties) {
        return new UdpSubscribers.Socket(
                loops.workers(),
                loops::newDatagramChannel,
                settings.address().getAddress(),
                properties.naming().udpToAnyAddress());
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    UdpSubscribers udpSubscribers(
            RegistryParts naming,
            ServicePusher pusher,
            ServiceSubscriptions subscriptions,
            HttpReaders readers,
            Timer timer,
            UdpSubscribers.Socket socket,
            Clock clock) {
        return new UdpSubscribers(
                naming.reads(),
                naming.switches(),
                pusher,
                subscriptions,
                readers,
                timer,
                UdpSubscribers.Limits.USUAL,
                socket,
                clock);
    }

    @Bean
    NamingClients namingClients(
            RegistryParts naming,
            ServiceSubscriptions subscriptions,
            ConnectionRegistry connections,
            UdpSubscribers udp) {
        return new NamingClients(naming.reads(), subscriptions, connections, udp);
    }

    @Bean
    ClientReads clientReads(
            NamingClients clients, SubscriberReads subscribers, ClusterReads nodes, ReadPool queryReads) {
        return new ClientReads(clients, subscribers, nodes, queryReads);
    }

    @Bean
    RegistryActions registryActions(
            RegistryParts naming,
            StoredNaming stored,
            InstanceActions instances,
            DrainActions drains,
            ServiceActions services,
            RegistryMetrics metrics,
            MaintenanceMode maintenance) {
        return new RegistryActions(
                naming.reads(), naming.switches(), stored, instances, drains, services, metrics, maintenance);
    }

    @Bean
    HttpRoutes namingRoutesV1(
            RegistryActions registry,
            UdpSubscribers udp,
            ServicePusher pusher,
            ClientOwnership ownership,
            LoggingSystem logging,
            ClusterNodes nodes,
            ContainerErrors errors) {
        return new NamingEndpoints(
                registry,
                udp,
                pusher.meters(),
                ownership,
                (logger, level) -> logging.setLogLevel(logger, LogLevel.valueOf(level.toUpperCase(Locale.ROOT))),
                nodes,
                new V1NamingErrors(errors));
    }

    @Bean
    HttpRoutes addressListRoutes(RegistryParts naming, StoredNaming stored, ContainerErrors errors) {
        return HttpRoutes.of(new AddressLists(naming.reads(), stored, new V1NamingErrors(errors)).routes());
    }

    @Bean
    HttpRoutes namingRoutesV2(RegistryActions registry, ClientReads clients, UdpSubscribers udp) {
        return new NamingV2(registry, clients, udp);
    }

    @Bean
    HttpRoutes namingRoutesV3(
            RegistryActions registry,
            ClientReads clients,
            ClientOwnership ownership,
            HttpReaders readers,
            LoggingSystem logging,
            ContainerErrors errors) {
        return new NamingV3(
                registry, clients, ownership, readers, new PartLogLevels(logging, "io.cairn.server.naming"), errors);
    }

    @Bean
    HttpRoutes prometheusRoutes(NacosSettings settings, RegistryParts naming, ContainerErrors errors, WorkPools pools) {
        return settings.naming().prometheusTargets()
                ? HttpRoutes.of(new PrometheusTargets(naming.reads(), errors, pools.queries()).routes())
                : HttpRoutes.of();
    }
}

package io.cairn.server.wiring;

import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.ListenerReads;
import io.cairn.server.http.config.TransferActions;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.ClusterStatusReads;
import io.cairn.server.http.core.ConnectionReads;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.core.ServerListEndpoint;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.v3.CapacityEndpoints;
import io.cairn.server.http.v3.ChangeEndpoints;
import io.cairn.server.http.v3.ClientConfigEndpoints;
import io.cairn.server.http.v3.ClusterEndpoints;
import io.cairn.server.http.v3.ConfigEndpoints;
import io.cairn.server.http.v3.ConfigLookupEndpoints;
import io.cairn.server.http.v3.ConfigOpsEndpoints;
import io.cairn.server.http.v3.HistoryEndpoints;
import io.cairn.server.http.v3.LimitEndpoints;
import io.cairn.server.http.v3.ListenerEndpoints;
import io.cairn.server.http.v3.NamespaceEndpoints;
import io.cairn.server.http.v3.NodeOperationEndpoints;
import io.cairn.server.http.v3.TransferEndpoints;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.NodeOperations;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.ServiceSubscriptions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds what versions 2 and 3 of the HTTP API offer of configurations, namespaces and the server itself. */
@Configuration(proxyBeanMethods = false)
class ConfigHttpConfiguration {

    @Bean
    ClusterNodes clusterNodes(ClusterMembers members, Clock clock) {
        return new ClusterNodes(members, clock);
    }

    @Bean
    ClientLoad clientLoad(
            ConnectionRegistry connections,
            ClusterNodes nodes,
            NodeOperations operations,
            ClusterMembers members,
            Clock clock) {
        return new ClientLoad(connections, nodes, operations, members::clientsOfOthers, clock);
    }

    @Bean
    ListenerReads listenerReads(ConfigListeners listeners, ClusterReads nodes, ReadPool queryReads) {
        return new ListenerReads(listeners, nodes, queryReads);
    }

    @Bean
    ConnectionReads connectionReads(ClientLoad load, ClusterNodes self, ClusterReads nodes, ReadPool queryReads) {
        return new ConnectionReads(load, self, nodes, queryReads);
    }

    @Bean
    ClusterStatusReads clusterStatusReads(
            ClusterMembers members, ServiceSubscriptions subscriptions, ClusterReads nodes, ReadPool queryReads) {
        return new ClusterStatusReads(members, subscriptions::pairs, nodes, queryReads);
    }

    @Bean
    ConfigRoutes configRoutes(
            ConfigService configs,
            ValidatedPublishing publishing,
            ClusterNodes nodes,
            ClientLoad load,
            NodeOperations operations,
            LoggingSystem logging,
            NamespaceService namespaces,
            HistoryService history,
            ConfigQueries queries,
            ChangeSetStore changes,
            BatchRemoval removal,
            TransferActions transfers,
            ListenerReads listeners,
            ConnectionReads connections,
            ClusterStatusReads status,
            CapacityService capacities,
            NacosSettings settings,
            Clock clock,
            ServerLimits limits) {
        ContainerErrors errors = new ContainerErrors(clock);
        ConfigActions actions = new ConfigActions(configs, publishing);
        LogLevels logLevels = new PartLogLevels(logging, "io.cairn");
        io.cairn.server.http.v3.CoreEndpoints version3 =
                new io.cairn.server.http.v3.CoreEndpoints(nodes, load, logLevels, errors);
        List<HttpRoute> routes = new ArrayList<>();
        routes.addAll(new io.cairn.server.http.v1.CoreEndpoints(nodes, logLevels).routes());
        routes.addAll(new io.cairn.server.http.v2.CoreEndpoints(nodes, load, logLevels).routes());
        routes.add(ServerListEndpoint.of(nodes, errors));
        routes.addAll(new io.cairn.server.http.v2.ConfigEndpoints(actions).routes());
        LogLevels configLogLevels = new PartLogLevels(logging, "io.cairn.server.config");
        routes.addAll(new io.cairn.server.http.v1.ConfigOpsEndpoints(configLogLevels).routes());
        routes.addAll(new ConfigOpsEndpoints(configLogLevels, errors).adminRoutes());
        routes.addAll(version3.adminRoutes());
        routes.addAll(new NodeOperationEndpoints(operations, errors).adminRoutes());
        routes.addAll(new ClusterEndpoints(status, connections, errors).adminRoutes());
        routes.addAll(new LimitEndpoints(limits, errors).adminRoutes());
        ConfigEndpoints configs3 = new ConfigEndpoints(actions, errors);
        routes.addAll(configs3.adminRoutes());
        routes.addAll(new io.cairn.server.http.v2.NamespaceEndpoints(namespaces).routes());
        routes.addAll(new io.cairn.server.http.v2.HistoryEndpoints(history).routes());
        ConfigLookup lookup = new ConfigLookup(queries, configs, changes, removal);
        routes.addAll(new io.cairn.server.http.v2.ConfigLookupEndpoints(lookup).routes());
        ConfigLookupEndpoints lookup3 = new ConfigLookupEndpoints(lookup, errors);
        routes.addAll(lookup3.adminRoutes());
        TransferEndpoints transfer3 = new TransferEndpoints(transfers, errors);
        routes.addAll(transfer3.adminRoutes());
        ListenerEndpoints listeners3 = new ListenerEndpoints(listeners, errors);
        routes.addAll(listeners3.adminRoutes());
        routes.addAll(new ChangeEndpoints(publishing, configs, actions, history, errors).adminRoutes());
        routes.addAll(new CapacityEndpoints(capacities, errors).adminRoutes());
        NamespaceEndpoints namespaces3 = new NamespaceEndpoints(namespaces, errors);
        HistoryEndpoints history3 = new HistoryEndpoints(history, errors);
        routes.addAll(namespaces3.adminRoutes());
        routes.addAll(history3.adminRoutes());
        routes.addAll(new ClientConfigEndpoints(actions, errors).routes());
        List<HttpRoute> console = new ArrayList<>(version3.consoleRoutes());
        console.addAll(configs3.consoleRoutes());
        console.addAll(lookup3.consoleRoutes());
        console.addAll(transfer3.consoleRoutes());
        console.addAll(listeners3.consoleRoutes());
        console.addAll(namespaces3.consoleRoutes());
        console.addAll(history3.consoleRoutes());
        routes.addAll(console);
        if (!settings.contextPath().isEmpty()) {
            // The console port of Nacos has no context path.
            console.forEach(route -> routes.add(route.besideContextPath()));
        }
        return new ConfigRoutes(routes);
    }
}

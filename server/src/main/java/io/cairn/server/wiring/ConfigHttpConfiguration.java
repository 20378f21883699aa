package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.change.CatchUp;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.http.config.ClientReads;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.ListenerReads;
import io.cairn.server.http.config.ReleaseKinds;
import io.cairn.server.http.config.ReleasePreview;
import io.cairn.server.http.config.TransferActions;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v1.ConfigLookups;
import io.cairn.server.http.v1.ListenerEndpoint;
import io.cairn.server.http.v1.ListenerQueryEndpoints;
import io.cairn.server.http.v3.CapacityEndpoints;
import io.cairn.server.http.v3.ChangeEndpoints;
import io.cairn.server.http.v3.ClientConfigEndpoints;
import io.cairn.server.http.v3.ClientEndpoints;
import io.cairn.server.http.v3.ConfigEndpoints;
import io.cairn.server.http.v3.ConfigLookupEndpoints;
import io.cairn.server.http.v3.ConfigOpsEndpoints;
import io.cairn.server.http.v3.HistoryEndpoints;
import io.cairn.server.http.v3.ListenerEndpoints;
import io.cairn.server.http.v3.NamespaceEndpoints;
import io.cairn.server.http.v3.ReleaseEndpoints;
import io.cairn.server.http.v3.TransferEndpoints;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.HeldContents;
import io.cairn.server.subscription.history.ClientHistory;
import io.cairn.server.subscription.history.PolledConfigs;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.netty.util.Timer;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds the HTTP API of configurations and namespaces, a bean for each subject in all versions. */
@Configuration(proxyBeanMethods = false)
class ConfigHttpConfiguration {

    @Bean
    ConfigActions configActions(
            ConfigService configs,
            ValidatedPublishing publishing,
            ClusterMembers members,
            ClusterReads nodes,
            ReadPool queryReads) {
        return new ConfigActions(configs, publishing, new ReleaseKinds(members, nodes, queryReads));
    }

    @Bean
    ConfigLookup configLookup(
            ConfigQueries queries, ConfigService configs, ChangeSetStore changes, BatchRemoval removal) {
        return new ConfigLookup(queries, configs, changes, removal);
    }

    @Bean
    ListenerReads listenerReads(
            ClientOwnership ownership, ConfigListeners listeners, ClusterReads nodes, ReadPool queryReads) {
        return new ListenerReads(ownership.self(), listeners, nodes, queryReads);
    }

    @Bean
    HttpRoutes configRoutes(
            ConfigActions actions,
            ConfigQueries queries,
            BatchRemoval removal,
            ConfigLookup lookup,
            TransferActions transfers,
            ContainerErrors errors) {
        ConfigEndpoints configs = new ConfigEndpoints(actions, errors);
        ConfigLookupEndpoints lookups = new ConfigLookupEndpoints(lookup, errors);
        TransferEndpoints transfer = new TransferEndpoints(transfers, errors);
        return HttpRoutes.of(
                        new io.cairn.server.http.v1.ConfigEndpoints(
                                        actions,
                                        new ConfigLookups(queries, removal),
                                        new io.cairn.server.http.v1.TransferEndpoints(transfers))
                                .routes(),
                        new io.cairn.server.http.v2.ConfigEndpoints(actions).routes(),
                        new io.cairn.server.http.v2.ConfigLookupEndpoints(lookup).routes(),
                        configs.adminRoutes(),
                        lookups.adminRoutes(),
                        transfer.adminRoutes(),
                        new ClientConfigEndpoints(actions, errors).routes())
                .withConsole(configs.consoleRoutes())
                .withConsole(lookups.consoleRoutes())
                .withConsole(transfer.consoleRoutes());
    }

    @Bean
    HttpRoutes changeRoutes(
            ValidatedPublishing publishing,
            ConfigService configs,
            ConfigActions actions,
            HistoryService history,
            ContainerErrors errors) {
        return HttpRoutes.of(new ChangeEndpoints(publishing, configs, actions, history, errors).adminRoutes());
    }

    @Bean
    HttpRoutes historyRoutes(HistoryService history, ConfigQueries queries, ContainerErrors errors) {
        HistoryEndpoints version3 = new HistoryEndpoints(history, errors);
        return HttpRoutes.of(
                        new io.cairn.server.http.v1.HistoryEndpoints(history, queries).routes(),
                        new io.cairn.server.http.v2.HistoryEndpoints(history).routes(),
                        version3.adminRoutes())
                .withConsole(version3.consoleRoutes());
    }

    @Bean
    HttpRoutes namespaceRoutes(NamespaceService namespaces, ContainerErrors errors) {
        NamespaceEndpoints version3 = new NamespaceEndpoints(namespaces, errors);
        return HttpRoutes.of(
                        new io.cairn.server.http.v1.NamespaceEndpoints(namespaces).routes(),
                        new io.cairn.server.http.v2.NamespaceEndpoints(namespaces).routes(),
                        version3.adminRoutes())
                .withConsole(version3.consoleRoutes());
    }

    @Bean
    HttpRoutes capacityRoutes(CapacityService capacities, ContainerErrors errors) {
        return HttpRoutes.of(
                new io.cairn.server.http.v1.CapacityEndpoints(capacities).routes(),
                new CapacityEndpoints(capacities, errors).adminRoutes());
    }

    @Bean
    HttpRoutes releaseRoutes(
            ConfigListeners listeners,
            ConfigService configs,
            MeshReads mesh,
            ClientOwnership ownership,
            ClusterReads nodes,
            ReadPool queryReads,
            ContainerErrors errors) {
        return HttpRoutes.of(new ReleaseEndpoints(
                        new ReleasePreview(ownership.self(), listeners, configs, mesh::readersOf, nodes, queryReads),
                        errors)
                .adminRoutes());
    }

    @Bean
    ClientReads.Nodes clientReadNodes(ClusterReads nodes, ReadPool queryReads, WorkPools pools) {
        return new ClientReads.Nodes(nodes, queryReads, new ReadPool(pools.clientEvents()));
    }

    @Bean
    HttpRoutes clientRoutes(
            ClientOwnership ownership,
            ListenerReads watchers,
            ConfigListeners listeners,
            HeldContents contents,
            ClientHistory history,
            ClientReads.Nodes clientReadNodes,
            ContainerErrors errors) {
        ClientReads clients =
                new ClientReads(ownership.self(), watchers, listeners, contents, history, clientReadNodes);
        return HttpRoutes.of(new ClientEndpoints(clients, errors).adminRoutes());
    }

    @Bean
    HttpRoutes listenerRoutes(ListenerReads listeners, ContainerErrors errors) {
        ListenerEndpoints version3 = new ListenerEndpoints(listeners, errors);
        return HttpRoutes.of(new ListenerQueryEndpoints(listeners).routes(), version3.adminRoutes())
                .withConsole(version3.consoleRoutes());
    }

    @Bean
    HttpRoutes longPollRoutes(
            ConfigService configs,
            Subscriptions<ConfigKey> subscriptions,
            ConfigListeners listeners,
            Timer timer,
            ContainerErrors errors,
            CatchUp catchUp,
            PolledConfigs history) {
        return HttpRoutes.of(
                new ListenerEndpoint(configs, subscriptions, timer, errors, listeners, catchUp, history).routes());
    }

    @Bean
    HttpRoutes configOperationRoutes(LoggingSystem logging, ContainerErrors errors) {
        LogLevels logLevels = new PartLogLevels(logging, "io.cairn.server.config");
        return HttpRoutes.of(
                new io.cairn.server.http.v1.ConfigOpsEndpoints(logLevels).routes(),
                new ConfigOpsEndpoints(logLevels, errors).adminRoutes());
    }
}

package io.cairn.server.wiring;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.IssuerLogin;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.actuator.ActuatorAccess;
import io.cairn.server.http.actuator.ActuatorRoutes;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.ClusterStatusReads;
import io.cairn.server.http.core.ConnectionReads;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.core.ServerListEndpoint;
import io.cairn.server.http.core.StateActions;
import io.cairn.server.http.route.ConsoleFiles;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRouter;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.route.RouteTable;
import io.cairn.server.http.v1.ConsoleEndpoints;
import io.cairn.server.http.v2.HealthEndpoints;
import io.cairn.server.http.v3.ClusterEndpoints;
import io.cairn.server.http.v3.CoreEndpoints;
import io.cairn.server.http.v3.LimitEndpoints;
import io.cairn.server.http.v3.NodeOperationEndpoints;
import io.cairn.server.http.v3.StateEndpoints;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.NodeOperations;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.wiring.lifecycle.StoreHealth;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.AccessProperties;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.Version;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** Builds the HTTP API of the server and its nodes, and the router of all routes. */
@Configuration(proxyBeanMethods = false)
class CoreHttpConfiguration {

    @Bean
    ContainerErrors containerErrors(Clock clock) {
        return new ContainerErrors(clock);
    }

    @Bean
    RouteTable routeTable(List<HttpRoutes> parts, NacosSettings settings, RevisionGate gate, ContainerErrors errors) {
        return RouteTable.of(settings.contextPath(), parts, Version.TEXT, gate, errors);
    }

    @Bean
    HttpRouter httpRouter(
            RouteTable table,
            MeterRegistry meters,
            WorkPools pools,
            HttpAuthorizer authorizer,
            HttpAudit audit,
            VisibilityBarrier barrier,
            ServerLimits limits) {
        return new HttpRouter(
                table, meters, pools.largeMessages(), pools.queries(), authorizer, audit, barrier, limits.bodyBytes());
    }

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
    ConnectionReads connectionReads(ClientLoad load, ClusterNodes self, ClusterReads nodes, ReadPool queryReads) {
        return new ConnectionReads(load, self, nodes, queryReads);
    }

    @Bean
    ClusterStatusReads clusterStatusReads(
            ClusterMembers members, ServiceSubscriptions subscriptions, ClusterReads nodes, ReadPool queryReads) {
        return new ClusterStatusReads(members, subscriptions::pairs, nodes, queryReads);
    }

    @Bean
    StateActions stateActions(StoreHealth health, WorkPools pools) {
        return new StateActions(health, pools.endpoints());
    }

    @Bean
    JsonMapper jsonMapper() {
        return JsonMapper.builder().build();
    }

    @Bean
    HttpRoutes coreRoutes(ClusterNodes nodes, ClientLoad load, LoggingSystem logging, ContainerErrors errors) {
        LogLevels logLevels = new PartLogLevels(logging, "io.cairn");
        CoreEndpoints version3 = new CoreEndpoints(nodes, load, logLevels, errors);
        return HttpRoutes.of(
                        new io.cairn.server.http.v1.CoreEndpoints(nodes, logLevels).routes(),
                        new io.cairn.server.http.v2.CoreEndpoints(nodes, load, logLevels).routes(),
                        List.of(ServerListEndpoint.of(nodes, errors)),
                        version3.adminRoutes())
                .withConsole(version3.consoleRoutes());
    }

    @Bean
    HttpRoutes clusterRoutes(
            NodeOperations operations, ClusterStatusReads status, ConnectionReads connections, ContainerErrors errors) {
        return HttpRoutes.of(
                new NodeOperationEndpoints(operations, errors).adminRoutes(),
                new ClusterEndpoints(status, connections, errors).adminRoutes());
    }

    @Bean
    HttpRoutes limitRoutes(ServerLimits limits, ContainerErrors errors) {
        return HttpRoutes.of(new LimitEndpoints(limits, errors).adminRoutes());
    }

    @Bean
    HttpRoutes stateRoutes(StateActions state, ContainerErrors errors) {
        StateEndpoints version3 = new StateEndpoints(state, errors);
        return HttpRoutes.of(
                        new ConsoleEndpoints(state).routes(),
                        new HealthEndpoints(state).routes(),
                        version3.adminRoutes())
                .withConsole(version3.consoleRoutes());
    }

    @Bean
    HttpRoutes consoleFileRoutes(
            ContainerErrors errors, NacosSettings settings, AccessPolicy policy, IssuerLogin login, WorkPools pools) {
        return HttpRoutes.of(
                new ConsoleFiles(errors, settings.contextPath(), policy, login, pools.endpoints()).routes());
    }

    @Bean
    HttpRoutes actuatorRoutes(
            ApplicationContext context,
            NacosSettings settings,
            AccessProperties access,
            ContainerErrors errors,
            JsonMapper json,
            WorkPools pools,
            StoreHealth health) {
        Environment environment = context.getEnvironment();
        String base = environment.getProperty("management.endpoints.web.base-path", "/actuator");
        List<HttpRoute> routes = new ArrayList<>(new ActuatorRoutes(
                        base,
                        errors,
                        new ActuatorAccess(base, access.allowAnonymousMetrics()),
                        json,
                        pools.endpoints(),
                        "always".equalsIgnoreCase(environment.getProperty("management.endpoint.health.show-details")),
                        health)
                .routes(ActuatorEndpoints.exposed(context)));
        if (settings.contextPath().isEmpty()) {
            // Without a context path both are the same.
            routes.removeIf(HttpRoute::atRoot);
        }
        return HttpRoutes.of(routes);
    }
}

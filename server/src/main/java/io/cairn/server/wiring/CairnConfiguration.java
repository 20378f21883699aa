package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.admission.AcceptFailures;
import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.CommitFence;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.HttpRefusal;
import io.cairn.server.http.HttpServer;
import io.cairn.server.http.actuator.ActuatorAccess;
import io.cairn.server.http.actuator.ActuatorRoutes;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.http.core.StateActions;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.http.route.ConsoleFiles;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRouter;
import io.cairn.server.http.route.OpenApiDocument;
import io.cairn.server.http.route.OpenApiEndpoint;
import io.cairn.server.http.v1.ConsoleEndpoints;
import io.cairn.server.http.v1.ListenerEndpoint;
import io.cairn.server.http.v1.NamingEndpoints;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.push.AckCoalescer;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.rpc.GrpcServer;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRouter;
import io.cairn.server.rpc.RpcAuthorizer;
import io.cairn.server.rpc.config.ConfigBatchListenHandler;
import io.cairn.server.rpc.config.ConfigChangePush;
import io.cairn.server.rpc.config.ConfigFuzzyWatch;
import io.cairn.server.rpc.config.ConfigPublishHandler;
import io.cairn.server.rpc.config.ConfigQueryHandler;
import io.cairn.server.rpc.config.ConfigRemoveHandler;
import io.cairn.server.rpc.connection.HealthCheckHandler;
import io.cairn.server.storage.CapacityCheck;
import io.cairn.server.storage.Circuit;
import io.cairn.server.storage.Database;
import io.cairn.server.storage.JdbcConfigStore;
import io.cairn.server.storage.ReadConnections;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.StoreMeters;
import io.cairn.server.storage.StoreWriter;
import io.cairn.server.storage.WriteAvailability;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;
import io.cairn.server.timer.WheelTimer;
import io.cairn.server.xds.XdsStreams;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.netty.channel.Channel;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** Builds the server out of its parts; none of them knows Spring. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(CairnProperties.class)
@Import({
    AccessConfiguration.class,
    BackupConfiguration.class,
    ClusterConfiguration.class,
    ConfigCenterConfiguration.class,
    ValidationConfiguration.class,
    ConfigHttpConfiguration.class,
    DatabaseConfiguration.class,
    FuzzyConfigConfiguration.class,
    MeshConfiguration.class,
    StoredMeshConfiguration.class,
    LimitConfiguration.class,
    LoggingConfiguration.class,
    AttentionConfiguration.class,
    EventConfiguration.class,
    NamingConfiguration.class,
    NamingHttpConfiguration.class,
    TlsConfiguration.class,
    TransferConfiguration.class
})
class CairnConfiguration {

    /** How long a read waits for the revision that it asks for. */
    private static final Duration MIN_REVISION_WITHIN = Duration.ofSeconds(1);

    @Bean
    NacosSettings nacosSettings(Environment environment) {
        return NacosSettings.read(environment);
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean
    ServerPhase serverPhase() {
        return new ServerPhase();
    }

    @Bean(destroyMethod = "close")
    DataFolder dataFolder(CairnProperties properties, NacosSettings settingsCheckedFirst, Environment environment) {
        Path home = Path.of(environment.getProperty("cairn.home", ""));
        return DataFolder.lock(home.resolve(properties.dataDir()));
    }

    @Bean
    MemoryBudget memoryBudget() {
        return new MemoryBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    @Bean(destroyMethod = "close")
    WorkPools workPools(CairnProperties properties) {
        return new WorkPools(properties.store());
    }

    @Bean(destroyMethod = "stop")
    Timer timer() {
        return new WheelTimer("cairn-timer");
    }

    @Bean(destroyMethod = "close")
    EventLoops eventLoops(CairnProperties properties, AcceptFailures acceptFailures) {
        int threads = properties.ioThreads();
        return new EventLoops(
                threads > 0 ? threads : Math.max(2, Runtime.getRuntime().availableProcessors()),
                AckCoalescer::over,
                acceptFailures);
    }

    @Bean
    ChangeFeed changeFeed() {
        return new ChangeFeed();
    }

    @Bean
    ConfigView configView(ChangeFeed feed, CairnProperties properties, Clock clock, MeterRegistry meters) {
        long cache = properties.config().cache().toBytes();
        ConfigView view =
                new ConfigView(feed, cache > 0 ? cache : Runtime.getRuntime().maxMemory() / 4);
        meters.gauge(MeterNames.CONFIGS, view, ConfigView::size);
        meters.gauge(MeterNames.CONTENT_BYTES, view, ConfigView::contentBytes);
        FunctionCounter.builder(MeterNames.CONTENT_HITS, view, ConfigView::hits).register(meters);
        FunctionCounter.builder(MeterNames.CONTENT_MISSES, view, ConfigView::misses)
                .register(meters);
        meters.gauge(MeterNames.GRAY_OLDEST, view, configs -> {
            long oldest = configs.oldestGrayMillis();
            return oldest == 0 ? 0 : Math.max(0, clock.millis() - oldest) / 1e3;
        });
        return view;
    }

    @Bean(destroyMethod = "close")
    ReadConnections readConnections(Database database) {
        return database.readers();
    }

    /** Static, because it must exist before the first meter. */
    @Bean
    static MeterFilter latencyBuckets() {
        return new LatencyBuckets();
    }

    /** Static, because it must exist before the first meter. */
    @Bean
    static MeterFilter meterDescriptions() {
        return new MeterDescriptions();
    }

    @Bean
    RevisionGate revisionGate(RevisionFollower follower, Timer timer) {
        return new RevisionGate(follower, timer, MIN_REVISION_WITHIN);
    }

    @Bean
    StoreWriter storeWriter(
            Database database,
            CairnProperties properties,
            Clock clock,
            MeterRegistry meters,
            ConfigView view,
            Circuit circuit,
            DatabaseConfiguration.RecoveryReaders recovery,
            ObjectProvider<StoredNaming> naming,
            CommitFence fence) {
        CairnProperties.Store store = properties.store();
        StoreWriter writer = new StoreWriter(
                "cairn-store-writer",
                circuit,
                database::openWriter,
                database.dialect(),
                clock,
                new StoreWriter.Limits(
                        store.queueWrites(),
                        store.queueBytes().toBytes() > 0
                                ? store.queueBytes().toBytes()
                                : Runtime.getRuntime().maxMemory() / 8,
                        store.batchWrites(),
                        store.batchBytes().toBytes(),
                        store.answerWithin()),
                new StoreMeters(meters),
                () -> {
                    view.reload(consumer -> JdbcConfigStore.forEachEntry(recovery.connections(), consumer));
                    naming.getObject().reload();
                },
                fence);
        meters.gauge(MeterNames.STORE_UNWRITABLE, writer.availability(), WriteAvailability::secondsRefused);
        meters.gauge(MeterNames.STORE_QUEUE, writer, StoreWriter::queuedCommands);
        return writer;
    }

    @Bean
    JdbcConfigStore configStore(
            StoreWriter writer,
            ReadConnections readers,
            CapacityCheck capacity,
            NacosSettings settings,
            ConfigView view,
            Database database) {
        int maxGrays = settings.maxGrayReleases();
        return database instanceof RemoteDatabase remote
                ? new JdbcConfigStore(writer, readers, capacity, maxGrays, view, remote.mirror()::load)
                : new JdbcConfigStore(writer, readers, capacity, maxGrays, view);
    }

    @Bean
    ConfigService configService(
            ConfigStore store, ConfigView view, CairnProperties properties, NacosSettings settings, WorkPools pools) {
        ConfigLimits limits = new ConfigLimits(
                Math.toIntExact(properties.config().maxContent().toBytes()), settings.maxMessageBytes());
        CairnProperties.Store reads = properties.store();
        ContentLoader loader = new ContentLoader(store, view, pools.reads(), reads.readThreads(), reads.readQueue());
        return new ConfigService(store, view, limits, loader);
    }

    @Bean
    RequestIds requestIds(MeterRegistry meters) {
        Gauge.builder(MeterNames.BUILD_INFO, () -> 1)
                .tag("version", Version.TEXT)
                .tag("revision", Version.revision())
                .tag("java", Runtime.version().toString())
                .register(meters);
        return new RequestIds();
    }

    @Bean
    PushBudget pushBudget() {
        return new PushBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    @Bean
    ConnectionRegistry connections(
            CairnProperties properties,
            NacosSettings settings,
            RequestIds requestIds,
            PushBudget budget,
            Timer timer,
            MeterRegistry meters) {
        CairnProperties.Connections limits = properties.connections();
        ConnectionRegistry registry = new ConnectionRegistry(
                new ConnectionSettings(limits.silence(), limits.detectionTimeout(), limits.max()),
                properties.push().maxInFlight(),
                budget,
                requestIds,
                timer,
                settings.serverIp());
        registry.onClose(connection -> connection.watches().clear(WatchedKey::closed));
        meters.gauge(MeterNames.CONNECTIONS, registry, ConnectionRegistry::size);
        for (MoveReason reason : MoveReason.values()) {
            FunctionCounter.builder(MeterNames.CONNECTIONS_MOVED, registry, all -> all.moves(reason))
                    .tag("reason", reason.tag())
                    .register(meters);
        }
        return registry;
    }

    @Bean
    WatchOrdinals watchOrdinals() {
        return new WatchOrdinals();
    }

    @Bean
    Subscriptions<ConfigKey> configSubscriptions(WatchOrdinals ordinals, MeterRegistry meters) {
        Subscriptions<ConfigKey> subscriptions = new Subscriptions<>(ordinals.last());
        meters.gauge(MeterNames.LISTENS, subscriptions, Subscriptions::pairs);
        return subscriptions;
    }

    @Bean
    PushKind configPushes(
            CairnProperties properties, NacosSettings settings, MeterRegistry meters, PushHistory history) {
        CairnProperties.Push push = properties.push();
        return new PushKind(
                new PushSettings(
                        push.ackTimeout(), push.retryDelay(), Duration.ofMinutes(2), settings.maxPushRetries()),
                new PushMeters(meters, "config", history.configs()));
    }

    @Bean(destroyMethod = "close")
    PushDispatcher<ConfigKey> configDispatcher(
            Subscriptions<ConfigKey> subscriptions,
            RequestIds requestIds,
            ChangeFeed feed,
            NacosSettings settings,
            PushKind kind) {
        PushDispatcher<ConfigKey> dispatcher = new PushDispatcher<>(
                "cairn-push-1",
                subscriptions,
                (watched, committedNanos) -> new ConfigChangePush(
                        kind, watched.key(), requestIds.next(), committedNanos, settings.serverIp()));
        feed.follow(change -> dispatcher.changed(change.key()));
        return dispatcher;
    }

    @Bean
    MessageRouter messageRouter(
            ConfigService configs,
            ValidatedPublishing publishing,
            Subscriptions<ConfigKey> subscriptions,
            NamingHandlers naming,
            FuzzyWatches<ConfigKey> fuzzyConfigWatches,
            MeterRegistry meters,
            ServerPhase phase,
            WorkPools pools,
            MemoryBudget budget,
            RpcAuthorizer authorizer,
            ServerLimits limits,
            CommitFence fence,
            RevisionGate gate) {
        List<MessageHandler<?>> handlers = new ArrayList<>(List.of(
                new HealthCheckHandler(),
                new ConfigQueryHandler(configs, subscriptions, gate),
                new ConfigPublishHandler(configs, publishing, fence),
                new ConfigRemoveHandler(configs, fence),
                new ConfigBatchListenHandler(configs, subscriptions, limits.watchesPerConnection(), gate),
                ConfigFuzzyWatch.handler(fuzzyConfigWatches, pools.patterns())));
        handlers.addAll(naming.handlers());
        return new MessageRouter(handlers, meters, phase::isServing, pools.largeMessages(), budget, authorizer);
    }

    @Bean
    StoreHealth storeHealth(
            ServerPhase phase,
            JdbcConfigStore store,
            StoreWriter writer,
            CairnProperties properties,
            NacosSettings settings,
            DatabaseSettings database,
            DatabaseLifecycle link,
            AccessPolicy access,
            ClusterLifecycle cluster) {
        return new StoreHealth(phase, store, writer, properties, settings, database, link, access, cluster);
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
    HttpRouter httpRouter(
            ApplicationContext context,
            NacosSettings settings,
            ConfigService configs,
            Subscriptions<ConfigKey> subscriptions,
            ConfigListeners listeners,
            V1ConfigRoutes v1Configs,
            NamingEndpoints v1Naming,
            NamingRoutes namingRoutes,
            ConfigRoutes configRoutes,
            AccessRoutes accessRoutes,
            BackupRoutes backupRoutes,
            EventConfiguration.EventRoutes eventRoutes,
            AttentionConfiguration.AttentionRoutes attentionRoutes,
            MeshConfiguration.MeshRoutes meshRoutes,
            HttpAudit audit,
            CommitFence fence,
            RevisionGate gate,
            HttpAuthorizer authorizer,
            AccessPolicy policy,
            AccessProperties accessProperties,
            StoreHealth health,
            StateActions state,
            JsonMapper json,
            Timer timer,
            WorkPools pools,
            MeterRegistry meters,
            ServerLimits limits,
            Clock clock) {
        ContainerErrors errors = new ContainerErrors(clock);
        Environment environment = context.getEnvironment();
        ListenerEndpoint listener = new ListenerEndpoint(configs, subscriptions, timer, errors, listeners);
        meters.gauge(MeterNames.LONG_POLLS, listeners, ConfigListeners::parkedPolls);
        List<HttpRoute> routes = new ArrayList<>();
        routes.addAll(v1Configs.routes());
        routes.addAll(listener.routes());
        routes.addAll(new ConsoleEndpoints(state).routes());
        routes.addAll(v1Naming.routes());
        routes.addAll(namingRoutes.routes());
        routes.addAll(configRoutes.routes());
        routes.addAll(accessRoutes.v1());
        routes.addAll(accessRoutes.v3());
        routes.addAll(backupRoutes.routes());
        routes.addAll(eventRoutes.routes());
        routes.addAll(attentionRoutes.routes());
        routes.addAll(meshRoutes.routes());
        routes.addAll(new ConsoleFiles(errors, settings.contextPath(), policy, pools.endpoints()).routes());
        List<ExposableWebEndpoint> endpoints = ActuatorEndpoints.exposed(context);
        String endpointsBase = environment.getProperty("management.endpoints.web.base-path", "/actuator");
        List<HttpRoute> actuator = new ArrayList<>(new ActuatorRoutes(
                        endpointsBase,
                        errors,
                        new ActuatorAccess(endpointsBase, accessProperties.allowAnonymousMetrics()),
                        json,
                        pools.endpoints(),
                        "always".equalsIgnoreCase(environment.getProperty("management.endpoint.health.show-details")),
                        health)
                .routes(endpoints));
        if (settings.contextPath().isEmpty()) {
            // Below it and beside it are the same then.
            actuator.removeIf(HttpRoute::atRoot);
        }
        routes.addAll(actuator);
        HttpRoute document = OpenApiEndpoint.of(
                new OpenApiDocument(settings.contextPath(), Version.TEXT), List.copyOf(routes), errors);
        routes.add(document);
        routes.replaceAll(route -> route.afterRevision(gate));
        HttpRouter router = new HttpRouter(
                settings.contextPath(), routes, meters, clock, pools.largeMessages(), authorizer, audit, fence);
        router.limitBodies(limits.bodyBytes());
        return router;
    }

    @Bean(destroyMethod = "")
    ServerPorts ports(
            CairnProperties properties,
            NacosSettings settings,
            HttpRouter httpRouter,
            MessageRouter messageRouter,
            ConnectionRegistry connections,
            ServerPhase phase,
            EventLoops loops,
            MemoryBudget budget,
            MeterRegistry meters,
            Clock clock,
            ConnectionAdmission admission,
            ServerLimits limits,
            TlsLifecycle tls,
            WorkPools pools,
            InternalTimings timings,
            XdsProperties xds,
            XdsStreams mesh) {
        SharedCompression compression = new SharedCompression(pools.largeMessages());
        CairnProperties.Grpc grpc = properties.grpc();
        int maxBody = LimitConfiguration.maxBodyBytes(properties);
        ServerPorts ports = new ServerPorts(
                settings,
                address -> new HttpServer(
                        new HttpServer.Settings(
                                address,
                                maxBody,
                                (int) properties.http().idle().toSeconds(),
                                (int) timings.maxHttpPatience().toSeconds(),
                                properties.http().maxStreamsPerConnection(),
                                limits),
                        httpRouter,
                        budget,
                        compression,
                        loops.acceptor(),
                        loops.workers(),
                        loops::newServerChannel,
                        channel -> prepareHttp(channel, admission, tls)),
                address -> new GrpcServer(
                        new GrpcServer.Settings(
                                address,
                                limits.messageBytes(),
                                grpc.permitKeepAlive().toMillis(),
                                grpc.keepAlive().toMillis(),
                                grpc.keepAliveTimeout().toMillis(),
                                grpc.maxCallsPerConnection(),
                                grpc.maxUnreadPerConnection().toBytes(),
                                limits.headSeconds()),
                        loops,
                        messageRouter,
                        connections,
                        client -> Abilities.ALL,
                        phase::isReady,
                        settings.serverIp(),
                        clock,
                        compression,
                        channel -> prepareRpc(channel, admission, tls),
                        xds.enabled() ? mesh.methods() : Map.of()));
        meters.gauge(MeterNames.HTTP_CONNECTIONS, ports, ServerPorts::openHttpConnections);
        return ports;
    }

    @Bean
    Drain drain(
            CairnProperties properties,
            ClusterProperties clusterProperties,
            ClusterLifecycle cluster,
            ServerPhase phase,
            ServerPorts ports,
            ConnectionRegistry connections,
            EventHub events,
            ConfigListeners listeners,
            NamingService naming) {
        Drain.Patience patience = new Drain.Patience(properties.shutdown().drain(), clusterProperties.drainTimeout());
        return new Drain(patience, cluster, phase, ports, connections, listeners, events, naming);
    }

    @Bean
    ServerLifecycle serverLifecycle(
            JdbcConfigStore store,
            ConfigView view,
            StoreWriter writer,
            DatabaseLifecycle database,
            PushDispatcher<ConfigKey> dispatcher,
            NamingLifecycle naming,
            AccessLifecycle access,
            ServerPorts ports,
            ServerPhase phase,
            Drain drain,
            ClusterLifecycle cluster,
            XdsStreams mesh) {
        return new ServerLifecycle(
                store, view, writer, database, dispatcher, naming, access, ports, phase, drain, cluster, mesh);
    }

    private static void prepareRpc(Channel channel, ConnectionAdmission admission, TlsLifecycle tls) {
        if (admission.enter(channel) != null) {
            ConnectionAdmission.refuse(channel);
        } else {
            tls.prepareRpc(channel);
        }
    }

    private static void prepareHttp(Channel channel, ConnectionAdmission admission, TlsLifecycle tls) {
        String refusal = admission.enter(channel);
        if (refusal != null) {
            HttpRefusal.answer(channel, refusal);
        } else {
            tls.prepareHttp(channel);
        }
    }
}

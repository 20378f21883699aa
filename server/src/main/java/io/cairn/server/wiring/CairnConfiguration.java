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
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.HttpRefusal;
import io.cairn.server.http.HttpServer;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.http.route.HttpRouter;
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
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

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
    CoreHttpConfiguration.class,
    DatabaseConfiguration.class,
    FuzzyConfigConfiguration.class,
    MeshConfiguration.class,
    StoredMeshConfiguration.class,
    LimitConfiguration.class,
    LoggingConfiguration.class,
    AttentionConfiguration.class,
    EventConfiguration.class,
    NacosMetersConfiguration.class,
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

    // --- configurations

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

    /** Static, for it must be there before the first meter. */
    @Bean
    static MeterFilter latencyBuckets() {
        return new LatencyBuckets();
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
        return new ConfigService(store, view, limits, pools.reads());
    }

    // --- connections and pushes

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
            PushKind configPushes) {
        PushDispatcher<ConfigKey> dispatcher = new PushDispatcher<>(
                "cairn-push-1",
                subscriptions,
                (watched, committedNanos) -> new ConfigChangePush(
                        configPushes, watched.key(), requestIds.next(), committedNanos, settings.serverIp()));
        feed.follow(change -> dispatcher.changed(change.key()));
        return dispatcher;
    }

    // --- edges

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
                                properties.http().upgradeToHttp2(),
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

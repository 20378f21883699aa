package io.cairn.server.wiring;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.CheckShare;
import io.cairn.server.naming.LastKnownInstances;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.NamingStore;
import io.cairn.server.naming.OwnChanges;
import io.cairn.server.naming.PersistentHealth;
import io.cairn.server.naming.RefusedBeats;
import io.cairn.server.naming.ServiceListener;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.naming.Switches;
import io.cairn.server.naming.UnhealthyCause;
import io.cairn.server.naming.health.HealthChecks;
import io.cairn.server.node.ClusterDuty;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.rpc.naming.BatchInstanceHandler;
import io.cairn.server.rpc.naming.InstanceHandler;
import io.cairn.server.rpc.naming.PersistentInstanceHandler;
import io.cairn.server.rpc.naming.Publishers;
import io.cairn.server.rpc.naming.ServiceFuzzyWatch;
import io.cairn.server.rpc.naming.ServiceListHandler;
import io.cairn.server.rpc.naming.ServiceQueryHandler;
import io.cairn.server.rpc.naming.SubscribeServiceHandler;
import io.cairn.server.storage.Database;
import io.cairn.server.storage.JdbcNamingStore;
import io.cairn.server.storage.MirroredNamingStore;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.SqliteInstanceMemory;
import io.cairn.server.storage.StoreWriter;
import io.cairn.server.subscription.FuzzyServiceMessages;
import io.cairn.server.subscription.FuzzyServiceNames;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.fuzzy.FuzzyLimits;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.LabelsLink;
import io.cairn.server.wiring.lifecycle.NamingLifecycle;
import io.cairn.server.wiring.lifecycle.StoredState;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.InternalTimings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds the registry out of its parts. */
@Configuration(proxyBeanMethods = false)
class NamingConfiguration {

    @Bean
    Switches switches() {
        return new Switches();
    }

    @Bean
    NamingSettings namingSettings(CairnProperties properties, NacosSettings settings) {
        return new NamingSettings(
                settings.naming().emptyServiceExpiry(),
                settings.naming().overrideExpiry(),
                properties.naming().recoveryWindow(),
                settings.naming().expireInstances(),
                settings.naming().maxMetadata());
    }

    /** Has the registry of a server follow the ends of connections, the limits and the meters. */
    static NamingService connected(
            NamingService naming, ConnectionRegistry connections, ServerLimits limits, MeterRegistry meters) {
        naming.limitInstances(limits.instancesPerClient().measuredBy(naming::mostInstancesOfOneClient));
        connections.onClose(connection -> naming.connectionClosed(connection.id(), connection.isAskedToMove()));
        meters.gauge(MeterNames.SERVICES, naming, NamingService::serviceCount);
        meters.gauge(MeterNames.INSTANCES, naming, NamingService::instanceCount);
        FunctionCounter.builder(MeterNames.BEATS, naming, NamingService::beatCount)
                .register(meters);
        for (LossCause cause : LossCause.values()) {
            FunctionCounter.builder(MeterNames.INSTANCES_LOST, naming.losses(), losses -> losses.count(cause))
                    .tag("cause", cause.tag())
                    .register(meters);
        }
        for (UnhealthyCause cause : UnhealthyCause.values()) {
            FunctionCounter.builder(MeterNames.INSTANCES_UNHEALTHY, naming, all -> all.unhealthyCount(cause))
                    .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                    .register(meters);
        }
        return naming;
    }

    @Bean
    RefusedBeats refusedBeats(NamingService naming, Clock clock, MeterRegistry meters) {
        RefusedBeats refused = new RefusedBeats(naming, clock);
        meters.gauge(MeterNames.BEATS_REFUSED, refused, RefusedBeats::instances);
        return refused;
    }

    @Bean(destroyMethod = "close")
    LabelsLink labelsLink(
            CairnProperties properties, NamingService naming, Environment environment, Timer timer, WorkPools pools) {
        return new LabelsLink(
                properties.naming(), Path.of(environment.getProperty("cairn.home", "")), naming, timer, pools.files());
    }

    @Bean(destroyMethod = "close")
    HealthChecks healthChecks(
            Timer timer, EventLoops loops, Switches switches, InternalTimings timings, MeterRegistry meters) {
        return new HealthChecks(
                timer,
                loops.workers(),
                loops::newClientChannel,
                switches::healthChecks,
                timings.firstHealthCheck(),
                meters);
    }

    @Bean
    PersistentHealth persistentHealth(
            NamingService naming, HealthChecks checks, Clock clock, CheckShare share, OwnChanges changes) {
        return new PersistentHealth(naming, checks, clock, share, changes);
    }

    @Bean
    StoredNaming storedNaming(
            NamingService naming,
            StoreWriter writer,
            Database database,
            DatabaseConfiguration.RecoveryReaders recovery,
            PersistentHealth health,
            ClusterDuty duty,
            StoredState state) {
        JdbcNamingStore stored = new JdbcNamingStore(writer, recovery.connections());
        NamingStore store = database instanceof RemoteDatabase remote
                ? new MirroredNamingStore(stored, remote.mirror(), () -> !remote.isPrepared())
                : stored;
        StoredNaming storedNaming = new StoredNaming(naming, store, health, duty);
        state.follow(storedNaming::reload);
        return storedNaming;
    }

    @Bean
    ServiceSubscriptions serviceSubscriptions(ServerLimits limits, WatchOrdinals ordinals, MeterRegistry meters) {
        ServiceSubscriptions subscriptions = new ServiceSubscriptions(ordinals.last());
        subscriptions.limitedBy(limits.watchesPerConnection());
        meters.gauge(MeterNames.SUBSCRIBERS, subscriptions, ServiceSubscriptions::pairs);
        return subscriptions;
    }

    @Bean
    PushKind servicePushes(NacosSettings settings, MeterRegistry meters, PushHistory history) {
        return untilAcknowledged(settings.naming(), new PushMeters(meters, "service", history.services()));
    }

    @Bean
    ServicePusher servicePusher(
            NamingService naming,
            ServiceSubscriptions subscriptions,
            RequestIds requestIds,
            NacosSettings settings,
            Timer timer,
            PushKind servicePushes,
            WorkPools pools) {
        ServicePusher pusher =
                new ServicePusher(naming, subscriptions, requestIds, servicePushes, timer, settings.serverIp());
        naming.follow(pusher);
        // Off the thread that stores, because there may be many subscribers.
        naming.switches().whenPushResumes(() -> pools.endpoints().execute(pusher::bringAll));
        return pusher;
    }

    /** A subscriber is never given up for not answering: it is told again and again until its connection ends. */
    private static PushKind untilAcknowledged(NacosSettings.Naming limits, PushMeters meters) {
        return new PushKind(
                new PushSettings(
                        limits.pushAckTimeout(),
                        limits.pushRetryDelay(),
                        limits.pushRetryDelay().multipliedBy(10),
                        Integer.MAX_VALUE),
                meters);
    }

    @Bean
    FuzzyWatches<ServiceKey> fuzzyServiceWatches(
            NamingService naming,
            RequestIds requestIds,
            NacosSettings settings,
            ConnectionRegistry connections,
            MeterRegistry meters) {
        NacosSettings.Naming limits = settings.naming();
        FuzzyWatches<ServiceKey> watches = new FuzzyWatches<>(
                new FuzzyServiceNames(naming),
                new FuzzyServiceMessages(
                        untilAcknowledged(limits, new PushMeters(meters, "fuzzy-service")),
                        requestIds,
                        settings.serverIp()),
                new FuzzyLimits(limits.fuzzyPatterns(), limits.fuzzyMatches()));
        naming.follow((service, presence) -> {
            if (presence != ServiceListener.Presence.SAME) {
                watches.changed(service);
            }
        });
        connections.onClose(watches::closed);
        meters.gauge(MeterNames.FUZZY_WATCHES, watches, FuzzyWatches::pairs);
        return watches;
    }

    @Bean
    MessageHandlers namingHandlers(
            NamingService naming,
            StoredNaming stored,
            ServiceSubscriptions subscriptions,
            ServicePusher pusher,
            FuzzyWatches<ServiceKey> fuzzyWatches,
            WorkPools pools) {
        Publishers publishers = new Publishers(naming);
        return new MessageHandlers(List.of(
                new InstanceHandler(publishers),
                new BatchInstanceHandler(publishers),
                new PersistentInstanceHandler(naming, stored),
                new ServiceQueryHandler(naming),
                new SubscribeServiceHandler(naming, subscriptions, pusher),
                new ServiceListHandler(naming),
                ServiceFuzzyWatch.handler(fuzzyWatches, pools.patterns())));
    }

    @Bean
    NamingLifecycle namingLifecycle(
            DataFolder folder, NamingService naming, StoredNaming stored, ServicePusher pusher) {
        LastKnownInstances lastKnown = new LastKnownInstances(naming, stored, SqliteInstanceMemory.open(folder.path()));
        naming.follow(lastKnown);
        return new NamingLifecycle(naming, stored, lastKnown, pusher);
    }
}

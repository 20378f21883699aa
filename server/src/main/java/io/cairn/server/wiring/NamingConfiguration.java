package io.cairn.server.wiring;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.UnhealthyCause;
import io.cairn.server.naming.group.CheckShare;
import io.cairn.server.naming.health.HealthChecks;
import io.cairn.server.naming.lease.HttpLeases;
import io.cairn.server.naming.lease.RefusedBeats;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.naming.stored.Drains;
import io.cairn.server.naming.stored.LastKnownInstances;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.PersistentHealth;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
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
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.memory.SqliteInstanceMemory;
import io.cairn.server.storage.mirror.MirroredNamingStore;
import io.cairn.server.storage.naming.JdbcNamingStore;
import io.cairn.server.storage.writer.StoreWriter;
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

    /** Connects the registry with the ends of connections, the limits and the meters. */
    static RegistryParts connected(
            RegistryParts naming, ConnectionRegistry connections, ServerLimits limits, MeterRegistry meters) {
        naming.registrations()
                .limitInstances(limits.instancesPerClient().measuredBy(naming.reads()::mostInstancesOfOneClient));
        connections.onClose(connection -> Publishers.closed(connection, naming.recovery()));
        meters.gauge(MeterNames.SERVICES, naming.reads(), RegistryView::serviceCount);
        meters.gauge(MeterNames.INSTANCES, naming.reads(), RegistryView::instanceCount);
        FunctionCounter.builder(MeterNames.BEATS, naming.leases(), HttpLeases::beatCount)
                .register(meters);
        for (LossCause cause : LossCause.values()) {
            FunctionCounter.builder(MeterNames.INSTANCES_LOST, naming.reads().losses(), losses -> losses.count(cause))
                    .tag("cause", cause.tag())
                    .register(meters);
        }
        for (UnhealthyCause cause : UnhealthyCause.values()) {
            FunctionCounter.builder(MeterNames.INSTANCES_UNHEALTHY, naming.health(), all -> all.unhealthyCount(cause))
                    .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                    .register(meters);
        }
        return naming;
    }

    @Bean
    RefusedBeats refusedBeats(RegistryParts naming, Clock clock, MeterRegistry meters) {
        RefusedBeats refused = new RefusedBeats(naming.reads(), clock);
        meters.gauge(MeterNames.BEATS_REFUSED, refused, RefusedBeats::instances);
        return refused;
    }

    @Bean(destroyMethod = "close")
    LabelsLink labelsLink(
            CairnProperties properties, RegistryParts naming, Environment environment, Timer timer, WorkPools pools) {
        return new LabelsLink(
                properties.naming(),
                Path.of(environment.getProperty("cairn.home", "")),
                naming.registry(),
                timer,
                pools.files());
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
            RegistryParts naming, HealthChecks checks, Clock clock, CheckShare share, OwnChanges changes) {
        return new PersistentHealth(naming, checks, clock, share, changes);
    }

    @Bean
    StoredNaming storedNaming(
            RegistryParts naming,
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
    Drains drains(RegistryParts naming, StoredNaming stored, ClusterDuty duty, Timer timer, Clock clock) {
        return new Drains(naming, stored, duty, timer, clock);
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
            RegistryParts naming,
            ServiceSubscriptions subscriptions,
            RequestIds requestIds,
            NacosSettings settings,
            Timer timer,
            PushKind servicePushes,
            WorkPools pools) {
        ServicePusher pusher = new ServicePusher(
                naming.reads(),
                naming.switches(),
                subscriptions,
                requestIds,
                servicePushes,
                timer,
                settings.serverIp());
        naming.registry().follow(pusher);
        // Off the storing thread, because there may be many subscribers.
        naming.switches().whenPushResumes(() -> pools.endpoints().execute(pusher::dispatchAll));
        return pusher;
    }

    /** A silent subscriber is not disconnected: pushes repeat until its connection ends. */
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
            RegistryParts naming,
            RequestIds requestIds,
            NacosSettings settings,
            ConnectionRegistry connections,
            MeterRegistry meters) {
        NacosSettings.Naming limits = settings.naming();
        FuzzyWatches<ServiceKey> watches = new FuzzyWatches<>(
                new FuzzyServiceNames(naming.reads()),
                new FuzzyServiceMessages(
                        untilAcknowledged(limits, new PushMeters(meters, "fuzzy-service")),
                        requestIds,
                        settings.serverIp()),
                new FuzzyLimits(limits.fuzzyPatterns(), limits.fuzzyMatches()));
        naming.registry().follow((service, presence) -> {
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
            RegistryParts naming,
            StoredNaming stored,
            ServiceSubscriptions subscriptions,
            ServicePusher pusher,
            FuzzyWatches<ServiceKey> fuzzyWatches,
            WorkPools pools) {
        Publishers publishers = new Publishers(naming.registry(), naming.registrations(), naming.recovery());
        return new MessageHandlers(List.of(
                new InstanceHandler(publishers),
                new BatchInstanceHandler(publishers),
                new PersistentInstanceHandler(naming.reads(), stored),
                new ServiceQueryHandler(naming.reads()),
                new SubscribeServiceHandler(naming.reads(), subscriptions, pusher),
                new ServiceListHandler(naming.reads()),
                ServiceFuzzyWatch.handler(fuzzyWatches, pools.patterns())));
    }

    @Bean
    NamingLifecycle namingLifecycle(
            DataFolder folder, RegistryParts naming, StoredNaming stored, ServicePusher pusher) {
        LastKnownInstances lastKnown = new LastKnownInstances(naming, stored, SqliteInstanceMemory.open(folder.path()));
        naming.registry().follow(lastKnown);
        return new NamingLifecycle(naming.registry(), naming.reads(), naming.recovery(), stored, lastKnown, pusher);
    }
}

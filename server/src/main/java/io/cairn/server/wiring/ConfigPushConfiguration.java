package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.rpc.config.ConfigBatchListenHandler;
import io.cairn.server.rpc.config.ConfigChangePush;
import io.cairn.server.rpc.config.ConfigPublishHandler;
import io.cairn.server.rpc.config.ConfigQueryHandler;
import io.cairn.server.rpc.config.ConfigRemoveHandler;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.HeldContents;
import io.cairn.server.subscription.LatestChanges;
import io.cairn.server.subscription.LostListens;
import io.cairn.server.subscription.MissedChangeRetry;
import io.cairn.server.subscription.NewConnectionNotices;
import io.cairn.server.subscription.history.ClientHistory;
import io.cairn.server.subscription.history.HistoryLimits;
import io.cairn.server.subscription.history.PolledConfigs;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.ClusterMode;
import io.cairn.server.wiring.settings.InternalTimings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds the gRPC messages about configurations, the pushes, and the search for listeners that missed one. */
@Configuration(proxyBeanMethods = false)
class ConfigPushConfiguration {

    @Bean
    MessageHandlers configHandlers(
            ConfigService configs,
            ValidatedPublishing publishing,
            Subscriptions<ConfigKey> subscriptions,
            ServerLimits limits,
            VisibilityBarrier barrier,
            RevisionGate gate,
            ClientHistory history) {
        return new MessageHandlers(List.of(
                new ConfigQueryHandler(configs, subscriptions, gate, history),
                new ConfigPublishHandler(configs, publishing, barrier),
                new ConfigRemoveHandler(configs, barrier),
                new ConfigBatchListenHandler(configs, subscriptions, limits.watchesPerConnection(), gate, history)));
    }

    @Bean
    Subscriptions<ConfigKey> configSubscriptions(WatchOrdinals ordinals, MeterRegistry meters) {
        Subscriptions<ConfigKey> subscriptions = new Subscriptions<>(ordinals.last());
        meters.gauge(MeterNames.LISTENS, subscriptions, Subscriptions::pairs);
        return subscriptions;
    }

    @Bean
    PushKind configPushes(
            CairnProperties properties,
            NacosSettings settings,
            MeterRegistry meters,
            PushHistory history,
            ClientHistory sightings) {
        CairnProperties.Push push = properties.push();
        return new PushKind(
                new PushSettings(
                        push.ackTimeout(), push.retryDelay(), Duration.ofMinutes(2), settings.maxPushRetries()),
                new PushMeters(meters, "config", history.configs()),
                (key, receiver) -> {
                    if (key instanceof WatchedKey<?> watched
                            && watched.key() instanceof ConfigKey notified
                            && receiver instanceof ClientConnection connection) {
                        sightings.notified(connection, notified);
                    }
                });
    }

    @Bean(destroyMethod = "close")
    ClientHistory clientHistory(
            DataFolder folder,
            CairnProperties properties,
            Clock clock,
            Timer timer,
            WorkPools pools,
            MeterRegistry meters,
            ConnectionRegistry connections) {
        CairnProperties.Config.ClientHistory limits = properties.config().clientHistory();
        ClientHistory history = new ClientHistory(
                folder.path().resolve("clients"),
                new HistoryLimits(limits.keep(), limits.maxSize().toBytes()),
                clock,
                timer,
                pools.clientEvents(),
                meters.counter(MeterNames.CLIENT_EVENTS_DROPPED));
        connections.onClose(history::left);
        return history;
    }

    @Bean
    PolledConfigs polledConfigs(ClientHistory history, Clock clock, WorkPools pools) {
        return new PolledConfigs(history, clock, pools.clientEvents());
    }

    @Bean
    HeldContents heldContents(
            ConnectionRegistry connections, ConfigService configs, RequestIds requestIds, Timer timer) {
        return new HeldContents(connections, configs, requestIds, timer);
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

    @Bean
    ConfigListeners configListeners(
            ConfigService configs,
            Subscriptions<ConfigKey> subscriptions,
            ConnectionRegistry connections,
            MeterRegistry meters) {
        ConfigListeners listeners = new ConfigListeners(configs, subscriptions, connections);
        meters.gauge(MeterNames.LONG_POLLS, listeners, ConfigListeners::parkedPolls);
        return listeners;
    }

    @Bean
    MissedChangeRetry.Schedule missedChangeSchedule(Timer timer, WorkPools pools, InternalTimings timings) {
        return new MissedChangeRetry.Schedule(timer, pools.lateListeners(), timings.lateListenersPause());
    }

    @Bean
    MissedChangeRetry missedChangeRetry(
            Subscriptions<ConfigKey> subscriptions,
            ConfigListeners listeners,
            PushDispatcher<ConfigKey> dispatcher,
            ChangeFeed feed,
            MeterRegistry meters,
            MissedChangeRetry.Schedule schedule,
            ClientHistory history) {
        MissedChangeRetry retry = new MissedChangeRetry(
                subscriptions,
                listeners::isBehind,
                dispatcher::dispatchTo,
                meters.counter(MeterNames.PUSH_RETOLD, "kind", "config"),
                schedule);
        retry.onLate((watched, watcher) -> {
            if (watcher instanceof ClientConnection connection) {
                history.behind(connection, watched.key(), connection.watches().held(watched));
            }
        });
        feed.follow(change -> retry.changed(change.key()));
        return retry;
    }

    @Bean
    LatestChanges latestChanges(ChangeFeed feed) {
        return new LatestChanges(feed);
    }

    /** For clients that may lose listens without reporting it. */
    @Bean
    NewConnectionNotices newConnectionNotices(
            ConnectionRegistry connections,
            Timer timer,
            LatestChanges changes,
            RequestIds requestIds,
            PushKind configPushes,
            NacosSettings settings,
            CairnProperties properties) {
        NewConnectionNotices notices = new NewConnectionNotices(
                connections,
                timer,
                changes,
                (connection, key) -> new ConfigChangePush(
                                configPushes, key, requestIds.next(), System.nanoTime(), settings.serverIp())
                        .sendOnce(connection),
                NewConnectionNotices.TIMES);
        if (properties.config().healListeners()) {
            notices.follow();
        }
        return notices;
    }

    @Bean
    LostListens.Notices unwatchedChanges(RequestIds requestIds, PushKind configPushes, NacosSettings settings) {
        return (connection, key) -> new ConfigChangePush(
                        configPushes, key, requestIds.next(), System.nanoTime(), settings.serverIp())
                .sendUnwatched(connection);
    }

    /**
     * Whether and when clients report how many configurations they listen to.
     *
     * @param first the pause between the set-up of a connection and the first request
     * @param isNode whether this server is a node of a cluster
     */
    record ListenChecks(boolean areOn, Duration first, boolean isNode) {}

    @Bean
    ListenChecks listenChecks(CairnProperties properties, InternalTimings timings, Environment environment) {
        boolean isNode = ClusterMode.isOn(environment);
        Duration first = timings.listenCheck();
        if (isNode && first.compareTo(LostListens.FIRST_IN_CLUSTER) > 0) {
            first = LostListens.FIRST_IN_CLUSTER;
        }
        return new ListenChecks(properties.config().healListeners(), first, isNode);
    }

    @Bean
    LostListens lostListens(
            ConnectionRegistry connections,
            RequestIds requestIds,
            MeterRegistry meters,
            Timer timer,
            LatestChanges changes,
            LostListens.Notices unwatchedChanges,
            ListenChecks checks) {
        LostListens lost = new LostListens(
                connections,
                requestIds,
                timer,
                meters.counter(MeterNames.LISTENS_HEALED),
                changes,
                unwatchedChanges,
                checks.first(),
                checks.isNode());
        if (checks.areOn()) {
            lost.follow();
        }
        return lost;
    }
}

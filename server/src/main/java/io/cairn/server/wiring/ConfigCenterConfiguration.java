package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.config.history.HistoryRetention;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.history.HistoryStore;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.node.ClusterDuty;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.rpc.config.ConfigChangePush;
import io.cairn.server.storage.CapacityCheck;
import io.cairn.server.storage.JdbcCapacityStore;
import io.cairn.server.storage.JdbcConfigQueryStore;
import io.cairn.server.storage.JdbcHistoryStore;
import io.cairn.server.storage.JdbcNamespaceStore;
import io.cairn.server.storage.ReadConnections;
import io.cairn.server.storage.StoreWriter;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.LatestChanges;
import io.cairn.server.subscription.LostListens;
import io.cairn.server.subscription.MissedChangeRetry;
import io.cairn.server.subscription.NewConnectionNotices;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds what stands around configurations: their history, their namespaces, and the search for them. */
@Configuration(proxyBeanMethods = false)
class ConfigCenterConfiguration {

    /** Looking things up has threads of its own: a search through all contents must not hold up clients that read. */
    @Bean
    ReadPool queryPool(WorkPools pools) {
        return new ReadPool(pools.queries());
    }

    @Bean
    HistoryStore historyStore(StoreWriter writer, ReadConnections readers) {
        return new JdbcHistoryStore(writer, readers);
    }

    @Bean
    HistoryService historyService(
            HistoryStore store,
            ConfigService configs,
            ValidatedPublishing publishing,
            ReadPool queries,
            NacosSettings settings,
            Clock clock) {
        return new HistoryService(store, configs, publishing, queries, Duration.ofDays(settings.historyDays()), clock);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    HistoryRetention historyRetention(
            HistoryStore store, NacosSettings settings, Clock clock, Timer timer, ClusterDuty duty) {
        return new HistoryRetention(store, Duration.ofDays(settings.historyDays()), clock, timer, duty);
    }

    @Bean
    ConfigQueries configQueries(ReadConnections readers, ConfigView view, ReadPool queries) {
        return new ConfigQueries(view, new JdbcConfigQueryStore(readers), queries);
    }

    @Bean
    BatchRemoval batchRemoval(ConfigQueries queries, ConfigService configs) {
        return new BatchRemoval(queries, configs);
    }

    @Bean
    CapacityCheck capacityCheck(NacosSettings settings) {
        return new CapacityCheck(settings.capacity());
    }

    @Bean
    CapacityService capacityService(
            StoreWriter writer, ReadConnections readers, NacosSettings settings, ConfigView view, ReadPool queries) {
        return new CapacityService(new JdbcCapacityStore(writer, readers), settings.capacity(), view, queries);
    }

    @Bean
    NamespaceService namespaceService(
            StoreWriter writer,
            ReadConnections readers,
            ConfigView view,
            CapacityService capacities,
            ReadPool queries) {
        return new NamespaceService(new JdbcNamespaceStore(writer, readers), view, capacities, queries);
    }

    @Bean
    ConfigListeners configListeners(
            ConfigService configs, Subscriptions<ConfigKey> subscriptions, ConnectionRegistry connections) {
        return new ConfigListeners(configs, subscriptions, connections);
    }

    @Bean
    MissedChangeRetry lateListeners(
            Subscriptions<ConfigKey> subscriptions,
            ConfigListeners listeners,
            PushDispatcher<ConfigKey> dispatcher,
            ChangeFeed feed,
            MeterRegistry meters,
            Timer timer,
            WorkPools pools,
            InternalTimings timings) {
        MissedChangeRetry late = new MissedChangeRetry(
                subscriptions,
                listeners::isBehind,
                dispatcher::bringTo,
                meters.counter(MeterNames.PUSH_RETOLD, "kind", "config"),
                timer,
                pools.lateListeners(),
                timings.lateListenersPause());
        feed.follow(change -> late.changed(change.key()));
        return late;
    }

    @Bean
    LostListens.Notices unwatchedChanges(RequestIds requestIds, PushKind configPushes, NacosSettings settings) {
        return (connection, key) -> new ConfigChangePush(
                        configPushes, key, requestIds.next(), System.nanoTime(), settings.serverIp())
                .sendUnwatched(connection);
    }

    @Bean
    LatestChanges latestChanges(ChangeFeed feed) {
        return new LatestChanges(feed);
    }

    /** Clients whose listens may be lost, and which do not say so. */
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
    LostListens lostListens(
            ConnectionRegistry connections,
            RequestIds requestIds,
            MeterRegistry meters,
            Timer timer,
            LatestChanges changes,
            LostListens.Notices unwatchedChanges,
            CairnProperties properties,
            InternalTimings timings,
            Environment environment) {
        boolean isNode = ClusterMode.isOn(environment);
        Duration first = timings.listenCheck();
        if (isNode && first.compareTo(LostListens.FIRST_IN_CLUSTER) > 0) {
            first = LostListens.FIRST_IN_CLUSTER;
        }
        LostListens lost = new LostListens(
                connections,
                requestIds,
                timer,
                meters.counter(MeterNames.LISTENS_HEALED),
                changes,
                unwatchedChanges,
                first,
                isNode);
        if (properties.config().healListeners()) {
            lost.follow();
        }
        return lost;
    }
}

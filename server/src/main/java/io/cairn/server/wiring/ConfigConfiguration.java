package io.cairn.server.wiring;

import io.cairn.server.change.ChangeFeed;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.config.history.HistoryRetention;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.history.HistoryStore;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.node.ClusterDuty;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.cluster.MisstatedDigests;
import io.cairn.server.storage.config.CapacityCheck;
import io.cairn.server.storage.config.JdbcConfigQueryStore;
import io.cairn.server.storage.config.JdbcConfigStore;
import io.cairn.server.storage.config.JdbcHistoryStore;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.namespace.JdbcCapacityStore;
import io.cairn.server.storage.namespace.JdbcNamespaceStore;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.NacosSettings;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds configurations, their history, capacity and search, and namespaces. */
@Configuration(proxyBeanMethods = false)
class ConfigConfiguration {

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
    ConfigLimits configLimits(CairnProperties properties, NacosSettings settings) {
        return new ConfigLimits(
                Math.toIntExact(properties.config().maxContent().toBytes()), settings.maxMessageBytes());
    }

    @Bean
    ConfigService configService(
            ConfigStore store,
            StoreWriter writer,
            ConfigView view,
            ConfigLimits limits,
            WorkPools pools,
            CairnProperties properties) {
        CairnProperties.Store reads = properties.store();
        ContentLoader loader = new ContentLoader(
                store, view, pools.reads(), reads.readThreads(), reads.readQueue(), new MisstatedDigests(writer, view));
        return new ConfigService(store, view, limits, loader);
    }

    /** Own threads for searches: a search through all contents must not delay reads. */
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
            ConfigQueries queries,
            ReadPool queryPool,
            NacosSettings settings,
            Clock clock) {
        return new HistoryService(
                store, configs, publishing, queries, queryPool, Duration.ofDays(settings.historyDays()), clock);
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
}

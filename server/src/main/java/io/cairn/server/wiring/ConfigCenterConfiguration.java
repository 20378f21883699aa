package io.cairn.server.wiring;

import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.history.HistoryRetention;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.history.HistoryStore;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.storage.JdbcConfigQueryStore;
import io.cairn.server.storage.JdbcHistoryStore;
import io.cairn.server.storage.JdbcNamespaceStore;
import io.cairn.server.storage.ReadConnections;
import io.cairn.server.storage.StoreWriter;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
    HistoryService historyService(HistoryStore store, ConfigService configs, ReadPool queries) {
        return new HistoryService(store, configs, queries);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    HistoryRetention historyRetention(HistoryStore store, NacosSettings settings, Clock clock, Timer timer) {
        return new HistoryRetention(store, Duration.ofDays(settings.historyDays()), clock, timer);
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
    NamespaceService namespaceService(StoreWriter writer, ReadConnections readers, ConfigView view, ReadPool queries) {
        return new NamespaceService(new JdbcNamespaceStore(writer, readers), view, queries);
    }
}

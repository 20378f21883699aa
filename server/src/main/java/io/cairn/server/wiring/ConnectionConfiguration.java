package io.cairn.server.wiring;

import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.Version;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.util.Map;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds the registry of connected clients, and the parts shared by all watches. */
@Configuration(proxyBeanMethods = false)
class ConnectionConfiguration {

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
    InfoContributor buildInfo() {
        Map<String, Object> build = Map.of("version", Version.TEXT, "revision", Version.revision());
        return info -> info.withDetails(build);
    }

    @Bean
    PushBudget pushBudget() {
        return new PushBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    @Bean
    WatchOrdinals watchOrdinals() {
        return new WatchOrdinals();
    }

    @Bean
    ConnectionRegistry connections(
            CairnProperties properties,
            NacosSettings settings,
            RequestIds requestIds,
            PushBudget budget,
            Timer timer,
            ServerLimits limits,
            MeterRegistry meters) {
        CairnProperties.Connections times = properties.connections();
        ConnectionRegistry registry = new ConnectionRegistry(
                new ConnectionSettings(times.silence(), times.detectionTimeout(), times.max()),
                properties.push().maxInFlight(),
                budget,
                requestIds,
                timer,
                settings.serverIp());
        registry.limitedBy(limits.longConnections().measuredBy(registry::size));
        limits.watchesPerConnection().measuredBy(() -> registry.connections().stream()
                .mapToInt(connection -> connection.watches().size())
                .max()
                .orElse(0));
        registry.onClose(connection -> connection.watches().clear(WatchedKey::closed));
        meters.gauge(MeterNames.CONNECTIONS, registry, ConnectionRegistry::size);
        for (MoveReason reason : MoveReason.values()) {
            FunctionCounter.builder(MeterNames.CONNECTIONS_MOVED, registry, all -> all.moves(reason))
                    .tag("reason", reason.tag())
                    .register(meters);
        }
        return registry;
    }
}

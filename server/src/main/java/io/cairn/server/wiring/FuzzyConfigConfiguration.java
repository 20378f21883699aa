package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.config.ConfigView;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.rpc.config.ConfigFuzzyWatch;
import io.cairn.server.subscription.FuzzyConfigMessages;
import io.cairn.server.subscription.FuzzyConfigNames;
import io.cairn.server.subscription.fuzzy.FuzzyLimits;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.NacosSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class FuzzyConfigConfiguration {

    @Bean
    MessageHandlers fuzzyConfigHandlers(FuzzyWatches<ConfigKey> watches, WorkPools pools) {
        return new MessageHandlers(List.of(ConfigFuzzyWatch.handler(watches, pools.patterns())));
    }

    @Bean
    FuzzyWatches<ConfigKey> fuzzyConfigWatches(
            ConfigView view,
            ChangeFeed feed,
            RequestIds requestIds,
            CairnProperties properties,
            NacosSettings settings,
            ConnectionRegistry connections,
            MeterRegistry meters) {
        CairnProperties.Push push = properties.push();
        NacosSettings.FuzzyConfigs limits = settings.fuzzyConfigs();
        PushKind kind = new PushKind(
                new PushSettings(
                        push.ackTimeout(), push.retryDelay(), Duration.ofMinutes(2), settings.maxPushRetries()),
                new PushMeters(meters, "fuzzy-config"));
        FuzzyWatches<ConfigKey> watches = new FuzzyWatches<>(
                new FuzzyConfigNames(view),
                new FuzzyConfigMessages(kind, requestIds, settings.serverIp(), limits.batchSize()),
                new FuzzyLimits(limits.patterns(), limits.matches()));
        feed.follow(change -> {
            if (change.before().isPresent() != change.now().isPresent()) {
                watches.changed(change.key());
            }
        });
        connections.onClose(watches::closed);
        meters.gauge(MeterNames.CONFIG_FUZZY_WATCHES, watches, FuzzyWatches::pairs);
        return watches;
    }
}

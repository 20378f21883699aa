package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.NacosConfigMeters;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.metrics.nacos.NacosMeters;
import io.cairn.server.naming.registry.NacosNamingMeters;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.NacosSubscriptionMeters;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.udp.UdpSubscribers;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class NacosMetersConfiguration {

    @Bean
    NacosMeters nacosMeters(MeterRegistry meters, ConnectionRegistry connections, EventLoops loops) {
        NacosMeters nacos = new NacosMeters(meters);
        nacos.monitor("core", "longConnection", connections::size);
        nacos.requests();
        List<SingleThreadEventExecutor> threads = new ArrayList<>();
        for (EventExecutor loop : loops.workers()) {
            if (loop instanceof SingleThreadEventExecutor thread) {
                threads.add(thread);
            }
        }
        nacos.grpcThreads("poolSize", threads::size);
        nacos.grpcThreads("maximumPoolSize", threads::size);
        nacos.grpcThreads("inQueueTaskCount", () -> threads.stream()
                .mapToInt(SingleThreadEventExecutor::pendingTasks)
                .sum());
        return nacos;
    }

    @Bean
    NacosConfigMeters nacosConfigMeters(NacosMeters meters, ConfigView configs) {
        return new NacosConfigMeters(meters, configs);
    }

    @Bean
    NacosNamingMeters nacosNamingMeters(NacosMeters meters, RegistryParts naming) {
        return new NacosNamingMeters(meters, naming.reads());
    }

    @Bean
    NacosSubscriptionMeters nacosSubscriptionMeters(
            NacosMeters meters,
            ConfigListeners listeners,
            ServiceSubscriptions subscriptions,
            UdpSubscribers udp,
            PushHistory history,
            ServicePusher pusher,
            PushDispatcher<ConfigKey> dispatcher) {
        return new NacosSubscriptionMeters(
                meters, listeners, subscriptions, udp::size, history.services(), pusher::pending, dispatcher::pending);
    }
}

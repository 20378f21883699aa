package io.cairn.server.wiring;

import io.cairn.server.config.ConfigView;
import io.cairn.server.config.NacosConfigMeters;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.metrics.nacos.NacosMeters;
import io.cairn.server.naming.NacosNamingMeters;
import io.cairn.server.naming.NamingService;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.NacosSubscriptionMeters;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.udp.UdpSubscribers;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Has the features register the meters that dashboards made for Nacos show. */
@Configuration(proxyBeanMethods = false)
class NacosMetersConfiguration {

    @Bean
    NacosMeters nacosMeters(MeterRegistry meters, ConnectionRegistry connections) {
        NacosMeters nacos = new NacosMeters(meters);
        nacos.monitor("core", "longConnection", connections::size);
        return nacos;
    }

    @Bean
    NacosConfigMeters nacosConfigMeters(NacosMeters meters, ConfigView configs) {
        return new NacosConfigMeters(meters, configs);
    }

    @Bean
    NacosNamingMeters nacosNamingMeters(NacosMeters meters, NamingService naming) {
        return new NacosNamingMeters(meters, naming);
    }

    @Bean
    NacosSubscriptionMeters nacosSubscriptionMeters(
            NacosMeters meters,
            ConfigListeners listeners,
            ServiceSubscriptions subscriptions,
            UdpSubscribers udp,
            PushHistory history) {
        return new NacosSubscriptionMeters(meters, listeners, subscriptions, udp::size, history.services());
    }
}

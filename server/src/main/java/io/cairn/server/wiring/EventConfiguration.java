package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v3.EventEndpoints;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.wiring.settings.InternalTimings;
import io.netty.util.Timer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class EventConfiguration {

    @Bean
    EventHub eventHub(
            AccessPolicy policy,
            Timer timer,
            ChangeFeed feed,
            RegistryParts naming,
            ConnectionRegistry connections,
            Subscriptions<ConfigKey> subscriptions,
            InternalTimings timings) {
        EventHub hub = new EventHub(policy, timer, timings.eventHeartbeat());
        feed.follow(change -> hub.configChanged(change.key()));
        naming.registry().follow(new ServiceListener() {
            @Override
            public void changed(ServiceKey service, Presence presence) {
                hub.serviceChanged(service);
            }

            @Override
            public void removed(ServiceKey service) {
                hub.serviceChanged(service);
            }
        });
        connections.onOpen(connection -> hub.connectionsChanged());
        connections.onClose(connection -> hub.connectionsChanged());
        subscriptions.follow(hub::listenersChanged);
        return hub;
    }

    @Bean
    HttpRoutes eventRoutes(EventHub hub, Authenticator authenticator, ContainerErrors errors) {
        return HttpRoutes.of(new EventEndpoints(hub, authenticator, errors).routes());
    }
}

package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.v3.EventEndpoints;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceListener;
import io.cairn.server.push.Subscriptions;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds what tells of events as they happen. */
@Configuration(proxyBeanMethods = false)
class EventConfiguration {

    /** The endpoints for events. */
    record EventRoutes(List<HttpRoute> routes) {}

    @Bean
    EventHub eventHub(
            AccessPolicy policy,
            Timer timer,
            ChangeFeed feed,
            NamingService naming,
            ConnectionRegistry connections,
            Subscriptions<ConfigKey> subscriptions,
            InternalTimings timings) {
        EventHub hub = new EventHub(policy, timer, timings.eventHeartbeat());
        feed.follow(change -> hub.configChanged(change.key()));
        naming.follow(new ServiceListener() {
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
    EventRoutes eventRoutes(EventHub hub, Authenticator authenticator, Clock clock) {
        return new EventRoutes(new EventEndpoints(hub, authenticator, new ContainerErrors(clock)).routes());
    }
}

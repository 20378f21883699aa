package io.cairn.spring.discovery;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.client.CairnClient;
import io.cairn.client.connection.ServerAddress;
import io.cairn.client.naming.DrainResult;
import io.cairn.client.naming.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;

/**
 * Registers the application when it is ready, and drains it when its context begins to close, before the web server stops.
 * Logs when the application has no name or no port and is not registered.
 */
public final class ServiceRegistrar {

    private static final Log log = LogFactory.getLog(ServiceRegistrar.class);

    private final CairnClient client;
    private final CairnDiscoveryProperties properties;
    private final ApplicationContext context;
    /** Guarded by this. */
    private @Nullable Registration registration;

    public ServiceRegistrar(CairnClient client, CairnDiscoveryProperties properties, ApplicationContext context) {
        this.client = client;
        this.properties = properties;
        this.context = context;
    }

    @EventListener
    synchronized void ready(ApplicationReadyEvent event) {
        if (event.getApplicationContext() != context || registration != null) {
            return;
        }
        Environment environment = context.getEnvironment();
        String name = properties.service() != null
                ? properties.service()
                : environment.getProperty("spring.application.name", "");
        Integer port = properties.port() != null
                ? properties.port()
                : environment.getProperty("local.server.port", Integer.class);
        if (name.isBlank() || port == null || port <= 0) {
            log.info("Not registered: " + (name.isBlank() ? "spring.application.name" : "cairn.discovery.port")
                    + " is not set" + (name.isBlank() ? "" : " and there is no web server"));
            return;
        }
        String host = properties.host() != null ? properties.host() : OwnAddress.towards(servers());
        Instance instance = new Instance(
                new InstanceKey(host, port, properties.cluster()),
                properties.weight(),
                true,
                true,
                true,
                Objects.requireNonNullElse(properties.metadata(), Map.of()),
                null);
        // The application starts also while the registry is unavailable.
        registration = client.naming()
                .registerWhenConnected(client.naming().service(properties.group(), name), List.of(instance));
    }

    private List<ServerAddress> servers() {
        List<ServerAddress> servers = new ArrayList<>();
        client.server().ifPresent(servers::add);
        servers.addAll(client.servers());
        return servers;
    }

    @EventListener
    synchronized void closing(ContextClosedEvent event) {
        Registration present = registration;
        if (event.getApplicationContext() != context || present == null) {
            return;
        }
        registration = null;
        if (properties.drain().isZero() || !client.connected()) {
            present.close();
        } else {
            drain(present);
        }
    }

    private void drain(Registration present) {
        try {
            DrainResult result = present.drainAndClose(properties.drain(), properties.settle());
            if (result.acknowledged()) {
                log.info("Drained " + present.service() + ": " + result);
            } else {
                log.warn("Drained " + present.service() + " within "
                        + properties.drain().toMillis() + " ms: " + result);
            }
        } catch (CairnException e) {
            log.warn("Stops without a drain of " + present.service() + ", so calls may fail: " + e.getMessage());
        }
    }
}

package io.cairn.spring.health;

import io.cairn.client.CairnClient;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/**
 * Up while there is a connection, else unknown: the application goes on with what it knows, and must not be taken out of
 * service with all others when the registry is away. For Boot 3.
 */
public final class Boot3Health extends AbstractHealthIndicator {

    private final CairnClient client;

    public Boot3Health(CairnClient client) {
        this.client = client;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        ConnectionHealth health = ConnectionHealth.of(client);
        (health.up() ? builder.up() : builder.unknown()).withDetails(health.details());
    }
}

package io.cairn.spring.health;

import io.cairn.client.CairnClient;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

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

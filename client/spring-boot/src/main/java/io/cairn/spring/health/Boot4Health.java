package io.cairn.spring.health;

import io.cairn.client.CairnClient;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

public final class Boot4Health extends AbstractHealthIndicator {

    private final CairnClient client;

    public Boot4Health(CairnClient client) {
        this.client = client;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        ConnectionHealth health = ConnectionHealth.of(client);
        (health.up() ? builder.up() : builder.unknown()).withDetails(health.details());
    }
}

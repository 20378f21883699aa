package io.cairn.spring.health;

import io.cairn.client.CairnClient;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up while there is a connection; for Boot 4. */
public final class Boot4Health extends AbstractHealthIndicator {

    private final CairnClient client;

    public Boot4Health(CairnClient client) {
        this.client = client;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        ConnectionHealth health = ConnectionHealth.of(client);
        (health.up() ? builder.up() : builder.down()).withDetails(health.details());
    }
}

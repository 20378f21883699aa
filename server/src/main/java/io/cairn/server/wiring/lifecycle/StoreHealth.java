package io.cairn.server.wiring.lifecycle;

import io.cairn.api.error.CairnException;
import io.cairn.server.http.actuator.ActuatorRoutes;
import io.cairn.server.http.route.ServerState;
import io.cairn.server.storage.config.JdbcConfigStore;
import io.cairn.server.storage.database.StoreDamage;
import io.cairn.server.storage.writer.StoreWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

public final class StoreHealth implements HealthIndicator, ServerState, ActuatorRoutes.Writes {

    private final ServerPhase phase;
    private final JdbcConfigStore store;
    private final StoreWriter writer;
    private final StoreDamage damage;
    private final DatabaseLifecycle database;
    private final ClusterLifecycle cluster;
    private final ShownSettings settings;

    public StoreHealth(
            ServerPhase phase,
            JdbcConfigStore store,
            StoreWriter writer,
            StoreDamage damage,
            DatabaseLifecycle database,
            ClusterLifecycle cluster,
            ShownSettings settings) {
        this.phase = phase;
        this.store = store;
        this.writer = writer;
        this.damage = damage;
        this.database = database;
        this.cluster = cluster;
        this.settings = settings;
    }

    @Override
    public @Nullable String notReadyBecause() {
        if (!phase.isReady()) {
            return switch (phase.now()) {
                case DRAINING -> "the server is draining: it stops, and its clients are asked to move";
                case STOPPED -> "the server is stopping";
                default -> "the server is loading the stored data";
            };
        }
        String notInService = cluster.notReadyBecause();
        if (notInService != null) {
            return notInService;
        }
        if (database.isRemote()) {
            // The state is known; a query would block while the database is away.
            return database.readsFailBecause();
        }
        try {
            store.ping();
            return null;
        } catch (CairnException e) {
            return e.text();
        }
    }

    @Override
    public Health health() {
        String reason = notReadyBecause();
        if (reason != null) {
            return Health.down().withDetail("reason", reason).build();
        }
        return Health.up().withDetails(degraded()).build();
    }

    @Override
    public Map<String, Object> degraded() {
        CairnException refusal = writer.availability().cause();
        if (refusal != null) {
            return degraded(refusal.text());
        }
        StoreDamage.Found found = damage.found();
        return found == null ? Map.of() : degraded(found.text());
    }

    private static Map<String, Object> degraded(String cause) {
        return Map.of("degraded", true, "cause", cause);
    }

    @Override
    public boolean areAccepted() {
        return phase.isReady() && writer.availability().cause() == null;
    }

    @Override
    public Map<String, @Nullable String> settings() {
        return settings.all();
    }
}

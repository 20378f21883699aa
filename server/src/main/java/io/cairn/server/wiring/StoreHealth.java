package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.http.actuator.ActuatorRoutes;
import io.cairn.server.http.route.ServerState;
import io.cairn.server.storage.JdbcConfigStore;
import io.cairn.server.storage.StoreWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Whether this server can do its work, for the health endpoints of all kinds. */
final class StoreHealth implements HealthIndicator, ServerState, ActuatorRoutes.Writes {

    private final ServerPhase phase;
    private final JdbcConfigStore store;
    private final StoreWriter writer;
    private final CairnProperties properties;
    private final NacosSettings settings;
    private final DatabaseSettings database;
    private final DatabaseLifecycle link;
    private final AccessPolicy access;
    private final ClusterLifecycle cluster;

    StoreHealth(
            ServerPhase phase,
            JdbcConfigStore store,
            StoreWriter writer,
            CairnProperties properties,
            NacosSettings settings,
            DatabaseSettings database,
            DatabaseLifecycle link,
            AccessPolicy access,
            ClusterLifecycle cluster) {
        this.phase = phase;
        this.store = store;
        this.writer = writer;
        this.properties = properties;
        this.settings = settings;
        this.database = database;
        this.link = link;
        this.access = access;
        this.cluster = cluster;
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
        if (link.isRemote()) {
            // Whether it answers is known already; asking it here would hold up whoever asks while it is away.
            return link.readsFailBecause();
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
        return refusal == null ? Map.of() : Map.of("degraded", true, "cause", refusal.text());
    }

    @Override
    public boolean areAccepted() {
        return phase.isReady() && writer.availability().cause() == null;
    }

    @Override
    public Map<String, @Nullable String> settings() {
        Map<String, @Nullable String> state = new LinkedHashMap<>();
        state.put("version", Version.TEXT);
        state.put("startup_mode", cluster.isNode() ? "cluster" : "standalone");
        state.put("function_mode", settings.functionMode());
        state.put("server_port", Integer.toString(settings.address().getPort()));
        state.put("auth_enabled", Boolean.toString(access.isEnabled()));
        state.put("login_page_enabled", "false");
        state.put("auth_system_type", "nacos");
        state.put("auth_admin_request", "false");
        state.put("console_ui_enabled", "true");
        state.put("datasource_platform", database.mysql().isPresent() ? "mysql" : "");
        state.put("plugin_datasource_log_enabled", "false");
        state.put("config_retention_days", Integer.toString(settings.historyDays()));
        state.put("notifyConnectTimeout", "100");
        state.put("notifySocketTimeout", "200");
        state.put("isHealthCheck", "true");
        state.put("maxHealthCheckFailCount", "12");
        state.put("maxContent", Long.toString(properties.config().maxContent().toBytes()));
        state.put("isManageCapacity", "true");
        state.put("isCapacityLimitCheck", Boolean.toString(settings.capacity().isEnforced()));
        state.put("defaultClusterQuota", Integer.toString(settings.capacity().clusterQuota()));
        state.put("defaultGroupQuota", Integer.toString(settings.capacity().groupQuota()));
        state.put("defaultMaxSize", Integer.toString(settings.capacity().maxSizeBytes()));
        state.put("defaultMaxAggrCount", Integer.toString(settings.capacity().maxAggrCount()));
        state.put("defaultMaxAggrSize", Integer.toString(settings.capacity().maxAggrSize()));
        return state;
    }
}

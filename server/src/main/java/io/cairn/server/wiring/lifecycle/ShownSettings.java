package io.cairn.server.wiring.lifecycle;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.DatabaseSettings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.Version;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings in the state endpoints of all versions, under the names of Nacos.
 *
 * @param authType of logins beside those of local users: {@code oidc} or {@code ldap}, else {@code nacos}
 */
public record ShownSettings(
        CairnProperties properties,
        NacosSettings settings,
        DatabaseSettings database,
        AccessPolicy access,
        String authType,
        boolean isNode) {

    Map<String, @Nullable String> all() {
        Map<String, @Nullable String> state = new LinkedHashMap<>();
        state.put("version", Version.TEXT);
        state.put("startup_mode", isNode ? "cluster" : "standalone");
        state.put("function_mode", settings.functionMode());
        state.put("server_port", Integer.toString(settings.address().getPort()));
        state.put("auth_enabled", Boolean.toString(access.pagesNeedLogin()));
        state.put("login_page_enabled", "false");
        state.put("auth_system_type", authType);
        state.put("auth_admin_request", "false");
        state.put("console_ui_enabled", "true");
        state.put(
                "datasource_platform",
                database.server()
                        .map(server -> server.product().platforms().get(0))
                        .orElse(""));
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

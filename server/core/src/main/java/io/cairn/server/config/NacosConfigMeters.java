package io.cairn.server.config;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.server.metrics.nacos.NacosMeters;
import java.util.Set;

/** The configuration meters of dashboards for Nacos. */
public final class NacosConfigMeters {

    private static final NacosMeters.Requests PUBLISHES = new NacosMeters.Requests(
            MessageCatalog.CONFIG_PUBLISH_REQUEST,
            Set.of(
                    "POST /v1/cs/configs",
                    "POST /v2/cs/config",
                    "POST /v3/admin/cs/config",
                    "POST /v3/console/cs/config"));
    private static final NacosMeters.Requests READS = new NacosMeters.Requests(
            MessageCatalog.CONFIG_QUERY_REQUEST,
            Set.of(
                    "GET /v1/cs/configs",
                    "GET /v2/cs/config",
                    "GET /v3/client/cs/config",
                    "GET /v3/admin/cs/config",
                    "GET /v3/console/cs/config"));

    public NacosConfigMeters(NacosMeters meters, ConfigView configs) {
        meters.monitor("config", "configCount", configs::size);
        meters.monitor("config", "publish", () -> meters.count(PUBLISHES));
        meters.monitor("config", "getConfig", () -> meters.count(READS));
        meters.configTimer("writeConfigRt", PUBLISHES);
        meters.configTimer("readConfigRt", READS);
        meters.failedWrites();
    }
}
